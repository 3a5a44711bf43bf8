"""The request file and the floor plan beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from fabric import yaml_file
from fabric.catalog.load import Catalog
from fabric.errors import FabricError, Fault, InputError
from fabric.io import floor_check, request_check, workload_files
from fabric.model.floorplan import FloorPlan
from fabric.model.request import Request
from fabric.yaml_file import Document

E = TypeVar("E", bound=FabricError)

REQUEST = "request.yaml"
FLOOR_PLAN = "floorplan.yaml"


@dataclass(frozen=True, slots=True)
class LoadedRequest:
    """A request and the floor plan that came with it, with where each key stands."""

    request: Request
    floor_plan: FloorPlan | None
    request_document: Document
    floor_plan_document: Document | None

    def placed(self, error: E) -> E:
        """`error` of a room that knows keys of the request but no files, with file and line in every fault."""
        return type(error)(*map(self._placed, error.faults), conflict=error.conflict)

    def _placed(self, fault: Fault) -> Fault:
        if fault.file == FLOOR_PLAN and self.floor_plan_document is not None:
            return self.floor_plan_document.placed(replace(fault, file=None))
        return self.request_document.placed(fault)


def load(path: Path, catalog: Catalog) -> LoadedRequest:
    """The request at `path`: a file, or a folder with `request.yaml`.

    `floorplan.yaml` is read from the folder, or from beside a file that is called `request.yaml`.

    Raises:
        InputError: every fault of both files and every unknown part, each with file, line and key.
    """
    request_path, plan_path = _paths(path)
    document = yaml_file.load(request_path, str(request_path))
    request, found = yaml_file.inspect(Request, document)
    faults = [*found, *request_check.part_faults(document, catalog)]
    if request is not None:
        request, lost = workload_files.filled(request, workload_files.beside(request_path.parent), request_path.parent)
        faults += [*request_check.faults(request, catalog, document), *lost]
    plan, plan_document = None, None
    if plan_path is not None:
        plan_document = yaml_file.load(plan_path, str(plan_path))
        plan, found = yaml_file.inspect(FloorPlan, plan_document)
        faults += found
        if plan is not None:
            faults += floor_check.faults(plan, plan_document)
    if request is None or faults:
        raise InputError(*sorted(faults, key=_place))
    return LoadedRequest(request, plan, document, plan_document)


def schema(kind: Literal["request", "floorplan"]) -> dict[str, Any]:
    """JSON Schema of a file that people write, for editors."""
    model = Request if kind == "request" else FloorPlan
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}


def _paths(path: Path) -> tuple[Path, Path | None]:
    """Files of the request and of the floor plan, None without one."""
    if path.is_dir():
        if not (path / REQUEST).exists():
            raise InputError(Fault(f"this folder holds no {REQUEST}", str(path)))
        path = path / REQUEST
    beside = path.with_name(FLOOR_PLAN)
    return path, beside if path.name == REQUEST and beside.exists() else None


def _place(fault: Fault) -> tuple[bool, int]:
    """Faults of the request first, each file from top to bottom."""
    return Path(fault.file or "").name == FLOOR_PLAN, fault.line or 0
