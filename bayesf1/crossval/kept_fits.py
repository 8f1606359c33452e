"""Finished fits in a directory, known by their data and parameters, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.text_files import write_atomic

Indices: TypeAlias = NDArray[np.intp]

_FORMAT = "bayesf1.cv/2"
_DEEPEST = 20


@dataclass(frozen=True)
class Fit:
    """One model on one fold."""

    model: str
    repeat: int
    fold: int
    train: Indices
    test: Indices

    def __str__(self) -> str:
        return f"model {self.model!r}, repeat {self.repeat}, fold {self.fold}"


def plain_json(label: Any) -> Any:
    """Return a label as JSON keeps it: a string, number or boolean, or a list of them."""
    if hasattr(label, "tolist"):
        label = label.tolist()
    return [plain_json(part) for part in label] if isinstance(label, list | tuple) else label


def check_kept(y: Any) -> None:
    """Say of labels that no file can keep, before any model is fitted."""
    for label in y:
        try:
            json.dumps(plain_json(label))
        except TypeError:
            raise ValueError(
                f"label {label!r} cannot be kept in a file; use strings or numbers, or leave directory out"
            ) from None


def digest_of(*parts: Any) -> str:
    """Return a fingerprint of data: of arrays' bytes, and of anything else as it is written down."""
    digest = hashlib.sha256()
    for part in parts:
        if hasattr(part, "tocsr"):
            part = part.tocsr()
            for array in (part.data, part.indices, part.indptr):
                digest.update(array.tobytes())
            continue
        if hasattr(part, "columns"):
            digest.update(repr(list(part.columns)).encode())
        if hasattr(part, "to_numpy"):
            part = part.to_numpy()
        if hasattr(part, "dtype") and part.dtype.kind != "O":
            digest.update(part.tobytes())
        else:
            for entry in part if isinstance(part, Iterable) else [part]:
                digest.update(json.dumps(plain_json(entry), default=repr).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _identity(model: Any) -> str:
    """Return what tells a model from another of the same name: an estimator's class and parameters."""
    return digest_of([_told(model)]) if hasattr(model, "get_params") else ""


def splitter_identity(cv: Any) -> list[Any]:
    """Return what tells a splitter from another: its class and settings, or the folds themselves."""
    # Seeds are compared by themselves, as a run without one may go on.
    settings = cv if isinstance(cv, list) else {name: v for name, v in vars(cv).items() if name != "rng"}
    return [type(cv).__qualname__, _told(settings)]


def _told(value: Any, depth: int = 0) -> Any:
    """Return what tells a parameter from another, the same in every process: no address, nothing left out."""
    if depth > _DEEPEST:
        # A function may well hold itself.
        return type(value).__qualname__

    def told(*parts: Any) -> list[Any]:
        return [_told(part, depth + 1) for part in parts]

    if isinstance(value, dict):
        return [[str(key), *told(entry)] for key, entry in value.items()]
    if isinstance(value, set | frozenset):
        return told(*sorted(value, key=repr))
    if isinstance(value, list | tuple):
        return told(*value)
    if isinstance(value, np.random.RandomState):
        return told(value.get_state())
    if isinstance(value, np.random.Generator):
        return told(value.bit_generator.state)
    if hasattr(value, "dtype") or hasattr(value, "tocsr") or hasattr(value, "to_numpy"):
        return [type(value).__name__, np.shape(value), digest_of(value)]
    if hasattr(value, "get_params"):
        return [type(value).__qualname__, *told(value.get_params(deep=False))]
    if isinstance(value, partial):
        return told(value.func, value.args, value.keywords)
    if hasattr(value, "__code__"):
        held = [cell.cell_contents for cell in value.__closure__ or ()]
        return [value.__module__, *told(value.__code__, value.__defaults__, value.__kwdefaults__, held)]
    if hasattr(value, "co_code"):
        return [value.co_name, value.co_code.hex(), *told(value.co_consts, value.co_names)]
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


class Store:
    """Finished fits in a directory, one JSON file each, and the partition that they belong to."""

    def __init__(self, folder: Path, fingerprint: str, rng: object) -> None:
        self.folder, self.fingerprint = folder, fingerprint
        self.rng = rng if isinstance(rng, int) else None
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, fit: Fit) -> Path:
        safe = re.sub(r"[^A-Za-z0-9_-]+", "-", fit.model)[:60]
        # Different names may look alike once made safe.
        tag = hashlib.sha256(fit.model.encode()).hexdigest()[:8]
        return self.folder / f"{safe}-{tag}-repeat{fit.repeat}-fold{fit.fold}.json"

    def _read(self, path: Path) -> dict[str, Any] | None:
        if not path.exists():
            return None
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{path} is not a kept fit ({error}); delete it, or name another directory"
            ) from None
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise ValueError(f"{path} is not a kept fit; delete it, or name another directory")
        if document.get("data") != self.fingerprint:
            raise ValueError(f"{path} was made from other data or another design; name another directory")
        return document

    def _write(self, path: Path, content: dict[str, Any]) -> None:
        write_atomic(path, json.dumps({"format": _FORMAT, "data": self.fingerprint, **content}) + "\n")

    def load_partition(self, n: int) -> Indices | None:
        """Return the kept partition of `n` units, the fold of each by repeat, or None where there is none."""
        path = self.folder / "partition.json"
        document = self._read(path)
        if document is None:
            return None
        if self.rng is not None and document.get("rng") != self.rng:
            raise ValueError(
                f"{path} was made with rng={document.get('rng')}, not {self.rng}; name another directory"
            )
        try:
            found = np.array(document.get("folds"))
        except ValueError:
            found = np.array(None)
        whole = found.dtype.kind == "i" and found.ndim == 2 and found.shape[1] == n and len(found) > 0
        if not whole or any(set(fold) != set(range(int(found.max()) + 1)) for fold in found.tolist()):
            raise ValueError(f"{path} is no partition of {n} units; name another directory")
        return found.astype(np.intp)

    def agree_on(self, partition: Indices) -> Indices:
        """Keep a partition, or return the one that another process kept first: both fit the same folds then."""
        path = self.folder / "partition.json"
        mine = self.folder / f"partition-{os.getpid()}.json"
        self._write(mine, {"rng": self.rng, "folds": partition.tolist()})
        try:
            # Linking, unlike renaming, fails where the name is taken.
            os.link(mine, path)
        except OSError:
            # Not every file system has links.
            if not path.exists():
                mine.replace(path)
        mine.unlink(missing_ok=True)
        kept = self.load_partition(partition.shape[1])
        return partition if kept is None else kept

    def load(self, fit: Fit, model: Any) -> list[Any] | None:
        """Return what a finished fit predicted, or None where it is not finished."""
        path = self._path(fit)
        document = self._read(path)
        if document is None:
            return None
        if document.get("identity") != _identity(model):
            raise ValueError(
                f"{path} was made by {fit.model!r} with other parameters; name another directory"
            )
        if document.get("test") != digest_of(fit.test):
            raise ValueError(f"{path} was made from another partition of the data; name another directory")
        return list(document["predictions"]) if document.get("model") == fit.model else None

    def save(self, fit: Fit, model: Any, labels: list[Any]) -> None:
        """Keep what a fit predicted."""
        check_kept(labels)
        known = {"model": fit.model, "identity": _identity(model), "test": digest_of(fit.test)}
        content = {**known, "predictions": labels}
        self._write(self._path(fit), content)
