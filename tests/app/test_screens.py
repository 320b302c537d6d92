"""The screens: from a table to results, each a page and a document."""

from __future__ import annotations

import asyncio
import json
import re
from html import escape, unescape

import pytest
from tests.app.conftest import App, page_of
from tests.server.conftest import in_loop

from crake.app.index import DONE
from crake.app.project import Project
from crake.app.workbench import settings_address
from crake.balance.names import IN_WORDS, SAMPLERS
from crake.cli.run import run as run_command
from crake.errors import CrakeError
from crake.evaluation.studies.balance import WORDS

HOSTILE = "<script>alert(1)</script>"


async def opened(app: App, **fields: object) -> str:
    """Open golf.csv; return the id of the table."""
    answer = await app.post("/tables", {"source": "golf.csv", "target": "play", **fields})
    assert answer.status == 303, page_of(answer)
    return answer.headers["location"].partition("table=")[2]


def test_open_lists_the_folder_and_previews_a_table(app):
    document = app.get("/api/?source=golf.csv").json
    assert document["files"] == [{"path": "golf.csv", "bytes": 70}]
    assert [column["kind"] for column in document["preview"]["columns"]] == ["nominal", "nominal"]
    assert document["preview"]["first_rows"][0] == ["sunny", "yes"]
    page = page_of(app.get("/?source=golf.csv"))
    assert "crake describe golf.csv" in page
    assert "crake.read(" in page
    assert app.get("/?source=absent.csv").status == 404


def test_a_table_is_used_with_the_kinds_that_are_asked_for(app):
    async def walk() -> None:
        table = await opened(app, **{"kind:outlook": "text"})
        assert app.project.index.table(table).request == {"source": "golf.csv", "target": "play", "text": ["outlook"]}
        assert await opened(app, **{"kind:outlook": "text"}) == table
        described = (await app.ask("GET", f"/api/data?table={table}")).json
        assert described["target"] == "play"
        assert not described["changed"]
        (app.project.start / "golf.csv").write_text("outlook,play\nsunny,yes\nrainy,no\n")
        assert "has changed since" in page_of(await app.ask("GET", f"/data?table={table}"))

    in_loop(walk())


def test_a_warning_is_answered_by_columns_left_out(app):
    async def walk() -> None:
        rows = "".join(f"c{i},EUR,{'xy'[i % 2]},{i % 3},{'ab'[i * 7 % 5 % 2]}\n" for i in range(30))
        (app.project.start / "clients.csv").write_text(f"customer & id,currency,letter,size,y\n{rows}")
        table = await opened(app, source="clients.csv", target="y")
        page = page_of(await app.ask("GET", f"/data?table={table}"))
        link = re.search(r'href="([^"]+)">Leave out <bdi>customer &amp; id</bdi>, <bdi>currency</bdi></a>', page).group(
            1
        )
        columns = (await app.ask("GET", f"/api{unescape(link)}")).json["preview"]["columns"]
        chosen = {each["name"]: each["asked"] for each in columns}
        assert chosen == {"customer & id": "ignore", "currency": "ignore", "letter": "", "size": "", "y": ""}
        form = {f"kind:{name}": kind for name, kind in chosen.items()}
        assert "Leave out <bdi>" not in page_of(
            await app.ask("GET", f"/data?table={await opened(app, source='clients.csv', target='y', **form)}")
        )
        assert app.project.index.tables()[0].request["ignore"] == ["customer & id", "currency"]

    in_loop(walk())


def test_data_shows_the_latest_table_whose_file_is_there(app):
    async def walk() -> None:
        await opened(app)
        (app.project.start / "later.csv").write_text("a,b\n1,x\n2,y\n")
        await opened(app, source="later.csv", target="b")
        assert (await app.ask("GET", "/api/data")).json["target"] == "b"
        (app.project.start / "later.csv").unlink()
        assert (await app.ask("GET", "/api/data")).json["target"] == "play"

    in_loop(walk())


def test_models_lists_learners_in_teaching_order_and_refuses_what_is_wrong(app):
    async def walk() -> None:
        table = await opened(app)
        document = (await app.ask("GET", f"/api/models?table={table}")).json
        names = [each["name"] for each in document["learners"]]
        assert names[:2] == ["majority", "1r"]
        assert document["kind"] == "classifier"
        wrong = (
            {}, {"learner": "os.system"}, {"learner": "1r", "seed": "x"}, {"learner": "1r", "plan": "cv0"},
            {"learner": "c4.5", "set:c4.5.confidence": "7"}, {"learner": "sklearn.tree.DecisionTreeClassifier"},
        )  # fmt: skip
        for fields in wrong:
            answer = await app.post("/runs", {"table": table, **fields})
            assert answer.status == 422, fields
            assert "This cannot be done" in page_of(answer)
        strange = ({"set:1r.min_bucket": []}, {"set:1r.min_bucket": "[" * 100_000}, {"name": "\ud800"})
        for fields in strange:
            body = json.dumps({"table": table, "learner": "1r", **fields}).encode()
            answer = await app.ask("POST", "/api/runs", body, content_type="application/json")
            assert answer.status in (400, 422), fields
        assert app.project.index.runs() == []

    in_loop(walk())


def test_the_lines_of_models_say_what_run_does(app):
    async def walk() -> None:
        table = await opened(app)
        usual = page_of(await app.ask("GET", f"/models?table={table}"))
        assert 'crake.compare(table, learners=["majority", "1r", "c4.5", "naive-bayes", "logistic"], ' in unescape(
            usual
        )
        address = f"/models?table={table}&learners=1r,c4.5&plan=cv5&seed=3&positive=yes&set:c4.5.confidence=0.1"
        page = page_of(await app.ask("GET", address))
        assert "crake.C45Classifier(confidence=0.1)" in page
        assert 'value="c4.5" checked' in page
        assert 'value="naive-bayes" checked' not in page
        assert 'name="set:c4.5.confidence" value="0.1"' in page
        chosen = (await app.ask("GET", f"/api{address}")).json["chosen"]
        run = await app.post("/runs", {"table": table, "learner": chosen["learners"], "plan": "cv5", "seed": "3",
                                       "positive": "yes", "set:c4.5.confidence": "0.1"})  # fmt: skip
        request = app.project.index.run(run.headers["location"].rpartition("/")[2]).request
        assert {name: request.get(name) for name in chosen} == chosen
        for wrong in ("learners=os", "plan=cv0", "measure=luck", "seed=x", "learners=c4.5&set:c4.5.confidence=7"):
            assert (await app.ask("GET", f"/models?table={table}&{wrong}")).status == 422, wrong
        await app.jobs.close()

    in_loop(walk())


def test_runs_are_ranked_and_planned_as_warnings_advise(app):
    async def walk() -> None:
        rows = "".join(f"2024-01-{1 + i % 28:02d},{i % 3},{'ab'[i % 2]}\n" for i in range(56))
        (app.project.start / "visits.csv").write_text(f"day,size,y\n{rows}")
        table = await opened(app, source="visits.csv", target="y")
        document = (await app.ask("GET", f"/api/models?table={table}")).json
        assert [*document["plans"]][-2:] == ["grouped", "time:day"]
        assert {"auc", "log_loss"} <= {*document["measures"]}
        for plan in document["plans"]:
            address = f"/models?table={table}&plan={plan}&measure=auc&learners=1r"
            page = unescape(page_of(await app.ask("GET", address)))
            assert f'<option value="{plan}" selected>' in page
            assert '<option value="auc" selected>AUC</option>' in page
            assert 'measure="auc"' in page.partition("<footer")[2]
        run = await app.post("/runs", {"table": table, "learner": "1r", "plan": "time:day", "measure": "auc"})
        entry = app.project.index.run(run.headers["location"].rpartition("/")[2])
        assert (entry.request["plan"], entry.request["measure"]) == ("time:day", "auc")
        assert "measure=auc" in settings_address(entry, app.workbench.compare_request(entry))
        await app.jobs.close()

    in_loop(walk())


def test_the_classes_can_be_balanced_by_every_sampler(app):
    assert {name: WORDS[name] for name in SAMPLERS} == IN_WORDS

    async def walk() -> None:
        table = await opened(app)
        document = (await app.ask("GET", f"/api/models?table={table}&balance=under")).json
        assert list(document["balances"]) == list(IN_WORDS)
        assert document["chosen"]["balance"] == "under"
        page = page_of(await app.ask("GET", f"/models?table={table}&balance=under"))
        assert "--balance</span> under" in page
        assert 'value="under" selected' in page
        run = await app.post("/runs", {"table": table, "learner": "1r", "balance": "under"})
        request = app.project.index.run(run.headers["location"].rpartition("/")[2]).request
        assert request["balance"] == "under"
        assert "balanced, under" in page_of(await app.ask("GET", run.headers["location"]))
        assert (await app.post("/runs", {"table": table, "learner": "1r", "balance": "smot"})).status == 422
        await app.jobs.close()

    in_loop(walk())


@pytest.mark.slow  # a browser
def test_lines_that_are_not_true_any_more_go_from_models(app, browser):
    """What is refused, or no learner at all, would leave the lines of the choice before."""
    table = in_loop(opened(app))
    page = browser.new_page(base_url="http://app.test")

    def answered(route):
        answer = app.get(f"/{route.request.url.partition('://')[2].partition('/')[2]}")
        route.fulfill(status=answer.status, headers=answer.headers, body=answer.body)

    page.route("**/*", answered)
    page.goto(f"/models?table={table}&learners=c4.5")
    assert "--learner c4.5" in page.inner_text("footer")
    page.fill("input[name='set:c4.5.confidence']", "7")
    page.locator("input[name='set:c4.5.confidence']").blur()
    page.wait_for_selector("footer [role=alert]")
    assert "confidence" in page.inner_text("footer")
    assert "crake compare" not in page.inner_text("footer")
    page.fill("input[name='set:c4.5.confidence']", "0.1")
    page.locator("input[name='set:c4.5.confidence']").blur()
    page.wait_for_function("() => document.querySelector('footer').innerText.includes('c4.5.confidence=0.1')")
    assert page.inner_text("button.main") == "Run 1 learner"
    page.check("input[value='1r']")
    assert page.inner_text("button.main") == "Run 2 learners"
    page.uncheck("input[value='1r']")
    page.uncheck("input[value='c4.5']")
    page.wait_for_selector("footer [role=alert]")
    assert page.inner_text("footer").strip().startswith("Tick a learner")
    page.close()


@pytest.mark.slow
def test_a_run_gives_the_figures_of_the_command_line(app, capsys):
    async def walk() -> str:
        table = await opened(app)
        fields = {"table": table, "learner": ["majority", "1r"], "plan": "cv3", "set:1r.min_bucket": "2"}
        answer = await app.post("/runs", fields)
        assert answer.status == 303
        run = answer.headers["location"].rpartition("/")[2]
        assert app.jobs.job(run) is not None
        states = [state async for state in app.jobs.watch(run)]
        assert states[-1]["state"] == DONE, states[-1]
        return run

    run = in_loop(walk())
    document = app.get(f"/api/results/{run}").json
    command = document["run"]["request"]
    assert command["parameters"] == {"1r.min_bucket": 2}
    words = ["compare", "golf.csv", "--target", "play", "--plan", "cv3", "-l", "majority", "-l", "1r"]
    assert run_command([*words, "--set", "1r.min_bucket=2", "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    measures = [each["measures"] for each in document["result"]["learners"]]
    assert measures == [each["measures"] for each in theirs["learners"]]
    page = page_of(app.get(f"/results/{run}"))
    assert "Majority class is best of 2" in page.replace("\u00a0", " ")
    assert "/static/report.js" in page
    assert app.get(f"/runs/{run}/model.crake").headers["content-disposition"].startswith("attachment")
    listed = app.get("/api/runs").json["runs"][0]
    assert (listed["state"], listed["plan"], listed["learners"]) == (DONE, "cv3", ["majority", "1r"])
    scores = {each["name"]: each["score"] for each in app.get("/api/models").json["learners"]}
    assert scores["majority"] == "0.500"


@pytest.mark.slow
def test_runs_and_models_show_the_figure_of_the_headline(app):
    """By AUC the leaderboard shows the mean of the folds, which is not the pooled one."""

    async def walk() -> None:
        rows = "".join(f"{(i * 37) % 11},{(i * 7) % 5},{'ab'[(i * 13) % 7 > 3]}\n" for i in range(40))
        (app.project.start / "numbers.csv").write_text(f"u,v,y\n{rows}")
        table = await opened(app, source="numbers.csv", target="y")
        fields = {"table": table, "learner": "naive-bayes", "measure": "auc", "plan": "cv3"}
        run = (await app.post("/runs", fields)).headers["location"].rpartition("/")[2]
        while app.jobs.job(run) is not None:
            await asyncio.sleep(0.05)
        learner = app.project.result(run)["learners"][0]
        shown = f"{learner['ranked_by']['value']:.3f}"
        assert shown != f"{learner['measures']['auc']['value']:.3f}"
        assert shown in page_of(await app.ask("GET", f"/results/{run}"))
        assert (await app.ask("GET", "/api/runs")).json["runs"][0]["score"] == shown
        models = (await app.ask("GET", f"/api/models?table={table}")).json["learners"]
        assert [each["score"] for each in models if each["score"]] == [shown]

    in_loop(walk())


def test_the_settings_of_a_run_lead_back_to_models(app):
    async def walk() -> None:
        table = await opened(app)
        fields = {"learner": ["1r", "c4.5"], "plan": "cv3", "seed": "7", "positive": "yes", "set:1r.min_bucket": "2"}
        run = await app.post("/runs", {"table": table, **fields})
        entry = app.project.index.run(run.headers["location"].rpartition("/")[2])
        asked = app.workbench.compare_request(entry)
        again = (await app.ask("GET", f"/api{settings_address(entry, asked)}")).json["chosen"]
        assert again == {"learners": ["1r", "c4.5"], "plan": "cv3", "seed": 7, "positive": "yes", "balance": None,
                         "measure": None, "parameters": {"1r.min_bucket": 2}}  # fmt: skip
        assert escape(settings_address(entry, asked)) in page_of(await app.ask("GET", run.headers["location"]))
        await app.jobs.close()

    in_loop(walk())


def test_words_are_chosen_from_a_list(app):
    async def walk() -> None:
        table = await opened(app)
        chosen = "learners=naive-bayes&set:naive-bayes.numeric=kernel"
        page = page_of(await app.ask("GET", f"/models?table={table}&{chosen}"))
        field = page.partition('<select name="set:naive-bayes.numeric"')[2].partition("</select>")[0]
        assert re.findall(r"<option value=\"(\w*)\"( selected)?>(\w+)", field) == [
            ("", "", "gaussian"), ("discretised", "", "discretised"), ("kernel", " selected", "kernel"),
        ]  # fmt: skip
        assert '<option value="ridge">' in page
        assert 'placeholder="none"' in page

    in_loop(walk())


def test_hostile_names_stay_text_on_every_screen(app):
    (app.project.start / "evil.csv").write_text(f"{HOSTILE},y\n{HOSTILE},{HOSTILE}\nb,n\n{HOSTILE},{HOSTILE}\nb,n\n")

    async def walk() -> None:
        answer = await app.post("/tables", {"source": "evil.csv", "target": "y"})
        table = answer.headers["location"].partition("table=")[2]
        run = app.project.index.add_run(table, HOSTILE, {"table": {"source": "evil.csv", "target": "y"}})
        app.project.index.set_state(run, "failed", HOSTILE)
        pages = ("/?source=evil.csv", f"/?table={table}", f"/data?table={table}", f"/models?table={table}", "/runs")
        for path in (*pages, f"/results/{run}"):
            page = page_of(await app.ask("GET", path))
            assert HOSTILE not in page, path
            assert "&lt;script&gt;" in page, path

    in_loop(walk())


def test_an_upload_is_stored_under_a_name_of_the_servers_own(app):
    async def walk() -> None:
        body, octets = b"a,y\n1,n\n2,p\n", "application/octet-stream"
        answer = await app.ask("POST", "/api/uploads?name=../../evil.csv", body, content_type=octets)
        assert answer.status == 201
        source = answer.json["source"]
        assert re.fullmatch(r"uploads/evil-[0-9a-f]{8}\.csv", source)
        assert f'href="/?source={source}"' in page_of(await app.ask("GET", "/"))
        stored = app.project.folder / source
        assert stored.read_bytes() == body
        assert (await app.ask("POST", "/api/uploads?name=a.exe", body, content_type=octets)).status == 415
        for name in ("..csv", "%00.csv", "a%2F..%2Fb.csv", "%3Cb%3E.csv", "C:%5C%5Cx.csv", f"{'é' * 300}.csv"):
            answer = await app.ask("POST", f"/api/uploads?name={name}", body, content_type=octets)
            assert re.fullmatch(r"uploads/[\w-]{1,40}-[0-9a-f]{8}\.csv", answer.json["source"]), name
        table = await opened(app, source=source, target="y")
        assert f"<bdi>{source.removeprefix('uploads/')}</bdi>" in page_of(await app.ask("GET", f"/data?table={table}"))
        assert (await app.ask("GET", "/?source=uploads/../index.sqlite")).status == 404

    in_loop(walk())
    assert not (app.project.start.parent / "evil.csv").exists()


def test_a_second_app_on_one_folder_says_so(app, folder):
    with pytest.raises(CrakeError, match="is open in another crake app"):
        Project(folder)
