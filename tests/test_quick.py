"""Which tests `make quick` takes, and in which order."""

from tests.quick import nearest_first, package_of

IMPORTING = {
    "builtin_plugins/notes/service.py": {"guildhall_sdk"},
    "builtin_plugins/notes/tests/test_notes.py": set(),
    "builtin_plugins/search/service.py": {"builtin_plugins/notes"},
    "builtin_plugins/search/tests/test_search.py": set(),
    "kernel/db/scopes.py": {"guildhall_sdk"},
    "kernel/db/tests/test_scopes.py": {"kernel/db"},
    "tests/growth/test_lists.py": {"builtin_plugins/notes"},
    "kernel/http/tests/test_rows.py": set(),
}


def test_the_tests_of_what_changed_come_before_those_that_import_it():
    assert nearest_first({"builtin_plugins/notes/queries.sql"}, IMPORTING) == [
        "builtin_plugins/notes/tests/test_notes.py",
        "tests/growth/test_lists.py",
        "builtin_plugins/search/tests/test_search.py",
    ]


def test_a_test_that_changed_is_the_first():
    changed = {"kernel/http/tests/test_rows.py", "kernel/db/scopes.py"}
    assert nearest_first(changed, IMPORTING) == [
        "kernel/http/tests/test_rows.py",
        "kernel/db/tests/test_scopes.py",
    ]


def test_packages_take_turns():
    importing = {
        f"builtin_plugins/{name}.py": {"guildhall_sdk"} for name in ("a/tests/test_1", "a/tests/test_2")
    }
    importing |= {
        "builtin_plugins/b/tests/test_1.py": {"guildhall_sdk"},
        "sdk/src/guildhall_sdk/ids.py": set(),
    }
    assert nearest_first({"sdk/src/guildhall_sdk/ids.py"}, importing) == [
        "builtin_plugins/a/tests/test_1.py",
        "builtin_plugins/b/tests/test_1.py",
        "builtin_plugins/a/tests/test_2.py",
    ]


def test_prose_concerns_no_test():
    assert nearest_first({"docs/plugins/hooks.md"}, IMPORTING) == []


def test_the_tests_of_a_room_of_the_kernel_and_of_the_sdk_belong_to_it():
    assert package_of("kernel/scheduler/tests/test_caps.py") == package_of("kernel/scheduler/claim.py")
    assert package_of("sdk/src/guildhall_sdk/routes.py") == package_of("sdk/tests/test_public.py")
