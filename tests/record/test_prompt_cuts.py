from genagents_env.record import NoteRow, PromptCuts
from genagents_env.record.notes import SectionCut, count_cuts


def note(text: str, kind: str = "cut") -> NoteRow:
    return NoteRow(1, 0, "Ada Brook", "plan.day", 0, "cut" if kind == "cut" else "wish", text)


def test_only_cuts_are_counted_and_the_section_that_most_prompts_lost_comes_first() -> None:
    notes = [note('{"talk": 1}'), note('{"plan": 9, "talk": 2}'), note("a boat", "wish")]
    found = count_cuts(notes, 10)
    assert found == PromptCuts(10, 2, (SectionCut("talk", 2, 3), SectionCut("plan", 1, 9)))
    assert list(found.describe()) == [
        "2 of 10 prompts had no room for all lines of a section: talk (2), plan (1); "
        "a larger `prompt_tokens` of the policy gives room"
    ]


def test_up_to_one_in_a_hundred_does_not_matter() -> None:
    assert not count_cuts([note('{"talk": 1}')], 100).matters
    assert list(count_cuts([note('{"talk": 1}')], 100).describe()) == []
    assert count_cuts([note('{"talk": 1}')], 99).matters
    assert not PromptCuts().matters
