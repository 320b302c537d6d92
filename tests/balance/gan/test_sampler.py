"""The GAN: counts, seeds, what it says without JAX, of few rows and of losses that diverge.

JAX takes seconds to compile the networks: all tests share one set of them, and trainings of few steps.
"""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest

import crake
from crake.balance.gan import sampler as module
from crake.balance.gan import training
from crake.balance.gan.sampler import GAN, Workshop
from crake.table.convert.frames import from_xy
from crake.table.table import Table

needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="JAX is not installed: pip install 'crake[gan]'"
)


def mixed_table(rare: int = 80, common: int = 200) -> Table:
    generator = np.random.default_rng(3)
    n = rare + common
    X = np.empty((n, 4), object)
    X[:, 0] = generator.normal(10, 2, n)
    X[:, 1] = np.where(generator.random(n) < 0.4, 0.0, generator.normal(50, 1, n))
    X[:, 2] = generator.choice(["a", "b", None], n)
    X[:, 3] = None
    return from_xy(X, np.repeat(["yes", "no"], [rare, common]))


@pytest.fixture(scope="module")
def trained():
    """A GAN after few steps, its sample, and the workshop that the networks were trained in."""
    seen = []

    class Recorded(Workshop):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            seen.append(self)

    table, gan = mixed_table(), GAN({"yes": 150}, steps=20, verbose=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "Workshop", Recorded)
        patch.setattr(training, "EVERY", 10)
        yield SimpleNamespace(table=table, gan=gan, sample=gan.sample(table), workshop=seen[0])


def test_without_jax_one_line_names_the_extra(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(crake.CrakeError, match=r"^a GAN needs JAX, .* pip install 'crake\[gan\]', or use SMOTE$"):
        GAN().fit_resample(mixed_table())


@needs_jax
def test_made_up_rows_have_the_values_of_the_class(trained):
    made, real = trained.sample.made, trained.table.take(np.arange(80))
    assert len(made) == 70
    assert set(made.labels(made.target)) == {"yes"}
    assert real.column("x0").min() <= made.column("x0").min()
    assert made.column("x0").max() <= real.column("x0").max()
    assert 0.0 in made.column("x1")  # the frequent value is made as it is
    assert set(made.column("x2")) <= {-1, 0, 1}


@needs_jax
def test_losses_and_quality_are_told(trained):
    assert [look.step for look in trained.gan.history_] == [10, 20]
    assert all(np.isfinite([look.critic_loss, look.generator_loss]).all() for look in trained.gan.history_)
    assert trained.gan.quality_[0].made_rows == 2000
    assert (*trained.sample.notes, *trained.sample.remarks) == (trained.gan.quality_[0].advice,)


@needs_jax
def test_a_part_of_many_rows_is_learned_from_and_said(monkeypatch):
    monkeypatch.setattr(module, "MOST", 60)
    monkeypatch.setattr(training, "EVERY", 2)
    notes = GAN({"yes": 150}, steps=2).sample(mixed_table(rare=100)).notes
    assert "The GAN learned from a part of class yes: 60 of its 100 rows, drawn." in notes


@needs_jax
def test_the_same_seed_gives_the_same_rows(trained):
    places = np.arange(80)
    one, two = (trained.workshop.train(20, 0.001, lambda look: None) for _ in range(2))
    rows = [trained.workshop.rows(each, 0, places) for each in (one, two)]
    np.testing.assert_array_equal(rows[0].values, rows[1].values)
    np.testing.assert_array_equal(rows[0].codes, rows[1].codes)
    assert one.looks == two.looks


@needs_jax
def test_losses_that_diverge_stop_the_training_and_are_said(trained):
    stopped = trained.workshop.train(40, 1e6, lambda look: None)
    assert stopped.diverged == 10
    assert module._diverged(stopped).startswith(
        "The losses of the GAN diverged, and its training was stopped: before step 10."
    )
    assert np.isfinite(trained.workshop.rows(stopped, 0, np.arange(80)).values[:, 0]).all()


@needs_jax
def test_few_rows_are_an_error_that_names_class_and_count():
    with pytest.raises(crake.CrakeError, match="the class 'yes' has 20; expected at least 50: use SMOTE"):
        GAN().sample(mixed_table(rare=20))
