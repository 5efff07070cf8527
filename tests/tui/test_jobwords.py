"""What is said of jobs."""

from b100tui.tui.jobwords import banner, bar, ended_words, greeting, job_details
from tests.tui.jobs_made import make_job


def plain(blocks) -> str:
    return "\n".join("".join(text for text, _ in block) for block in blocks)


def test_the_banner_counts_what_is_settled_and_what_failed():
    assert banner([make_job()]) == "score 312/2 400, 3 failed"


def test_the_banner_adds_up_several_jobs():
    jobs = [make_job("a"), make_job("b", failed=0, done=88, total=100)]
    assert banner(jobs) == "2 jobs 400/2 500, 3 failed"


def test_ended_jobs_have_no_banner_and_waiting_ones_are_counted():
    assert banner([make_job(state="done")]) == ""
    assert banner([make_job(state="paused"), make_job(state="done")]) == "1 job paused"


def test_reopening_tells_how_far_unfinished_jobs_are():
    assert greeting([make_job(), make_job(state="done")]) == (
        "score 312/2 400, 3 failed (4 min left); t shows jobs"
    )
    assert greeting([make_job(state="done")]) == ""


def test_an_end_is_told_with_its_reason():
    job = make_job(state="failed", reason="ended by signal 9 (SIGKILL)", eta_seconds=None)
    assert ended_words(job) == "score failed, 312/2 400, 3 failed: ended by signal 9 (SIGKILL)"


def test_details_tell_each_metric_its_time_failures_by_reason_and_the_gpu():
    text = plain(job_details(make_job(), ["loading weights"]))
    assert "312/2 400, 3 failed  0.250 s each  3 min left" in text
    assert "2 brisque: too small: 8x8" in text and "1 brisque: unreadable" in text
    assert "H200: 93 % busy, 41.2 of 139 GB" in text and "loading weights" in text


def test_a_bar_without_a_total_is_empty_and_never_overflows():
    assert bar(5, 0, 4) == "────" and bar(9, 4, 4) == "━━━━" and bar(2, 4, 4) == "━━──"
