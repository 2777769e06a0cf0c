from libs.coordination import VersionedAnswers


def test_an_answer_holds_under_its_version_alone():
    answers = VersionedAnswers[str]()
    answers.put("a", "1", [])
    assert answers.get(("a", "1")) is False
    assert answers.get(("a", "2")) is None
    assert answers.get(("a", None)) is None
    assert answers.get(("b", "1")) is None
    answers.put("a", "2", [1])
    assert answers.get(("a", "2")) is True
    assert answers.get(("a", "1")) is False, "to whoever is still there"


def test_what_was_found_under_no_version_is_not_remembered():
    answers = VersionedAnswers[str]()
    answers.put("a", None, True)
    assert answers.get(("a", None)) is None


def test_those_that_were_found_last_are_remembered():
    answers = VersionedAnswers[int](max_keys=2)
    for key in (1, 2, 1, 3):
        answers.put(key, "1", True)
    assert [answers.get((key, "1")) for key in (1, 2, 3)] == [True, None, True]
