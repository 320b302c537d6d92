"""The protocol, the lines that reproduce the result, and the versions of the libraries."""

from __future__ import annotations

from crake.evaluation.report.material import Material
from crake.render.report.blocks import Block, Code, Paragraph, Versions
from crake.render.report.report import Section
from crake.render.sentences import capital


def protocol_section(material: Material) -> Section:
    """Return how the result was made and how to get it again."""
    summary = material.summary
    blocks: list[Block] = [Paragraph(f"{capital(summary.protocol)}.")]
    blocks += [Code(name, text) for name, text in summary.reproduce]
    if summary.versions:
        blocks.append(Versions(summary.versions))
    data = {
        "protocol": summary.protocol,
        "reproduce": dict(summary.reproduce),
        "versions": dict(summary.versions),
    }
    return Section("protocol", "How to get this again", tuple(blocks), data)
