"""Runs inside the box: pytest on the files it is told, and how each test ended, in one frame on descriptor 3.

In (stdin): the repr of (nonce, paths, folders of pytest's packages by name, whether trusted conftest files exist).
"""

import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import types


def main() -> None:
    """Runs pytest and leaves at once, so that nothing the tests registered runs after the frame."""
    nonce, paths, folders, conftest = eval(sys.stdin.buffer.read())  # noqa: S307

    class Packages:  # the folder they are installed in cannot be listed here
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
            if name not in folders:
                return None
            folder = folders[name]
            return importlib.util.spec_from_file_location(
                name, f"{folder}/__init__.py", submodule_search_locations=[folder]
            )

    sys.meta_path.append(Packages)
    py = sys.modules["py"] = types.ModuleType("py")  # a file beside the packages, which some versions import
    for part in ("error", "path"):
        setattr(py, part, importlib.import_module(f"_pytest._py.{part}"))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import pytest

    ended: dict[str, list[str]] = {}

    class Listener:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            plain = report.outcome if not hasattr(report, "wasxfail") else "xfail"
            ended.setdefault(report.nodeid, []).append(plain)

    here = os.getcwd()
    sys.path += list(dict.fromkeys([here, f"{here}/src", *(os.path.dirname(f"{here}/{p}") for p in paths)]))
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:pastebin", "--import-mode=importlib", "-o", "addopts="]
    words += ["-c", os.devnull, "--rootdir", here, "--confcutdir", here, *([] if conftest else ["--noconftest"])]
    me = os.getpid()
    pytest.main([*words, "--", *paths], plugins=[Listener()])
    if os.getpid() == me:
        data = memoryview(f"{nonce} {json.dumps({'outcomes': list(ended.items())})}\n".encode())
        while data:
            data = data[os.write(3, data) :]
    os._exit(0)


if __name__ == "__main__":
    main()
