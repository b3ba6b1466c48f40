"""A contract for import-linter: no circle of files, however the folders lie."""

import networkx as nx
from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class AcyclicFiles(Contract):
    """No file imports itself by way of others; imports for types alone count as well."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        files: nx.DiGraph[str] = nx.DiGraph()
        for module in graph.modules:
            for imported in graph.find_modules_directly_imported_by(module):
                files.add_edge(module, imported)
        circles = [sorted(c) for c in nx.strongly_connected_components(files) if len(c) > 1]
        return ContractCheck(kept=not circles, metadata={"circles": sorted(circles)})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for circle in check.metadata["circles"]:
            output.print_error("A circle: " + ", ".join(circle))
