"""What each format is read into."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract import Usage
from tasks import formats
from tasks.formats import text
from tasks.formats.run import MISSING, text_of, usage_of


def said(role, content, **more):
    return {"role": role, "content": content, **more}


def mini(*messages, **info):
    opening = [said("system", "Act."), said("user", "Fix it.")]
    return {"trajectory_format": "mini-swe-agent-1", "info": info, "messages": [*opening, *messages]}


def chat(*messages, **more):
    return {"messages": [said("system", "Act."), said("user", "Fix it."), *messages], **more}


def asks(*calls, content=None):
    listed = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    return said("assistant", content, tool_calls=listed)


def result(call, content):
    return said("tool", content, tool_call_id=call)


def commands(run):
    return [[call.arguments.get("command") for call in turn.reply.message.calls] for turn in run.turns]


# ---------------------------------------------------------------- text protocol


def test_each_action_and_its_observation_become_a_call_and_its_answer():
    run = formats.read(
        mini(
            said("assistant", "Look.\n\n```bash\nls -la\n```"),
            said("user", "a.py"),
            said("assistant", "Done.\n```bash\necho COMPLETE\n```"),
            said("user", "diff"),
            exit_status="Submitted",
        ),
        "run",
    )
    assert (run.system, run.task, run.status) == ("Act.", "Fix it.", "Submitted")
    assert commands(run) == [["ls -la"], ["echo COMPLETE"]]
    assert run.turns[0].reply.message.content == "Look.\n\n```bash\nls -la\n```"
    assert [turn.answers for turn in run.turns] == [("a.py",), ("diff",)]
    assert [turn.said for turn in run.turns] == [(), ()]


@pytest.mark.parametrize("reply", ["```bash\nls\n```\nthen\n```bash\ncat a.py\n```", "I think that I am done.", ""])
def test_a_refused_message_ran_nothing_and_is_answered_by_the_refusal(reply):
    run = formats.read(
        mini(said("assistant", reply), said("user", "EXACTLY ONE action"), said("assistant", "ok")), "run"
    )
    assert run.turns[0].reply.message.content == reply
    assert commands(run)[0] == [""]
    assert run.turns[0].answers == ("EXACTLY ONE action",)


def test_last_words_without_an_action_are_a_reply_without_calls():
    run = formats.read(mini(said("assistant", "```bash\nls\n```"), said("user", ""), said("assistant", "Bye.")), "run")
    assert commands(run) == [["ls"], []]
    assert [turn.answers for turn in run.turns] == [("",), ()]


def test_a_run_cut_off_before_an_answer_says_so():
    run = formats.read(mini(said("assistant", "```bash\nsleep 9\n```")), "run")
    assert run.turns[0].answers == (MISSING,)
    assert run.status is None


def test_the_note_of_the_end_is_left_out_and_a_persons_words_are_kept():
    run = formats.read(
        mini(
            said("assistant", "```bash\nls\n```"),
            said("user", "a.py"),
            said("user", "Use b.py instead."),
            said("assistant", "```bash\ncat b.py\n```"),
            said("user", "text"),
            said("user", "LimitsExceeded"),
            said("exit", "", extra={"exit_status": "LimitsExceeded"}),
            exit_status="LimitsExceeded",
        ),
        "run",
    )
    assert [turn.said for turn in run.turns] == [("Use b.py instead.",), ()]
    assert run.turns[-1].answers == ("text",)


def test_a_refused_reply_that_only_its_refusal_kept_is_put_back():
    refusal = said("user", "No action found.", extra={"interrupt_type": "FormatError", "model_response": "Hm."})
    run = formats.read(
        mini(said("assistant", "```bash\nls\n```"), said("user", "a"), refusal, said("assistant", "x")), "r"
    )
    assert [turn.reply.message.content for turn in run.turns] == ["```bash\nls\n```", "Hm.", "x"]
    assert run.turns[1].answers == ("No action found.",)


def test_the_files_own_action_pattern_is_used():
    data = mini(said("assistant", "<do>ls</do>"), said("user", "a"))
    data["info"]["config"] = {"agent": {"action_regex": "<do>(.*?)</do>"}}
    assert commands(formats.read(data, "run")) == [["ls"]]


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("Look.\n\n```bash\nls\n```", "Look."),
        ("Look.\n```bash\nls\n```\nMore.", "Look.\n\nMore."),
        ("Look.\n<mswea_bash_command>ls</mswea_bash_command>", "Look."),
        ("No command.", "No command."),
    ],
)
def test_a_command_can_stand_in_its_call_alone(reply, left):
    action = [] if reply == "No command." else [{"command": "ls"}]
    run = formats.read(mini(said("assistant", reply, extra={"actions": action}), said("user", "a")), "run")
    assert text.once(run.turns)[0].reply.message.content == left


def test_usage_is_read_where_the_file_has_it():
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 60},
    }
    reply = said("assistant", "```bash\nls\n```", extra={"response": {"usage": usage}})
    run = formats.read(mini(reply, said("user", "a"), said("assistant", "```bash\nls\n```"), said("user", "b")), "run")
    assert [turn.reply.usage for turn in run.turns] == [Usage(100, 60, None, 7), Usage()]


def test_anthropics_input_is_given_with_its_cached_part():
    usage = {"input_tokens": 10, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 5, "output_tokens": 3}
    assert usage_of({"usage": usage}) == Usage(65, 50, 5, 3)


# ---------------------------------------------------------------- tool calls


def test_parallel_results_are_put_in_the_order_of_their_calls_and_a_missing_one_is_said():
    run = formats.read(
        chat(
            asks(
                ("a", "bash", '{"command": "ls"}'),
                ("b", "view", '{"path": "x.py"}'),
                ("c", "bash", '{"command": "id"}'),
            ),
            result("c", "root"),
            result("a", "x.py"),
            said("assistant", "Done."),
        ),
        "run",
    )
    assert [call.name for call in run.turns[0].reply.message.calls] == ["bash", "view", "bash"]
    assert run.turns[0].answers == ("x.py", MISSING, "root")
    assert [tool.name for tool in run.tools] == ["bash", "view"]
    assert run.turns[1].reply.message.calls == ()


def test_call_ids_that_repeat_in_a_run_are_made_unique():
    turn = (asks(("call_0", "bash", "{}")), result("call_0", "x"))
    run = formats.read(chat(*turn, *turn), "run")
    ids = [call.id for turn in run.turns for call in turn.reply.message.calls]
    assert len(set(ids)) == len(ids) == 2


def test_a_result_that_answers_no_call_is_refused():
    with pytest.raises(ValueError, match=r"run, reply 1: .*'z'.*\['a'\].*mend"):
        formats.read(chat(asks(("a", "bash", "{}")), result("z", "x")), "run")


def test_arguments_that_are_no_json_are_kept_as_written():
    run = formats.read(chat(asks(("a", "bash", '{"command": ')), result("a", "bad")), "run")
    assert run.turns[0].reply.message.calls[0].arguments == {"text": '{"command": '}


def test_declared_tools_are_taken_from_the_file():
    tool = {"type": "function", "function": {"name": "bash", "description": "Run.", "parameters": {"type": "object"}}}
    run = formats.read(chat(asks(("a", "bash", "{}")), result("a", "x"), tools=[tool]), "run")
    assert [(t.name, t.description) for t in run.tools] == [("bash", "Run.")]


def test_a_conversation_has_replies_without_calls_and_keeps_what_the_user_says():
    run = formats.read(
        [said("user", "Hi"), said("assistant", "Yes?"), said("user", "Go on"), said("assistant", "So")], "r"
    )
    assert (run.system, run.task) == ("", "Hi")
    assert [(turn.reply.message.content, turn.said) for turn in run.turns] == [("Yes?", ("Go on",)), ("So", ())]


def test_chat_messages_that_use_the_text_protocol_are_paired():
    run = formats.read(chat(said("assistant", "```bash\nls\n```"), said("user", "a.py")), "run")
    assert commands(run) == [["ls"]]
    assert run.turns[0].answers == ("a.py",)


def test_the_form_before_tool_calls_and_messages_in_a_json_string():
    messages = [
        said("user", "Fix it."),
        said("assistant", None, function_call={"name": "bash", "arguments": '{"command": "ls"}'}),
        said("function", "a.py", name="bash"),
    ]
    run = formats.read({"messages": json.dumps(messages)}, "run")
    assert commands(run) == [["ls"]]
    assert run.turns[0].answers == ("a.py",)


def test_items_of_the_responses_interface():
    output = [
        {"type": "message", "content": [{"type": "output_text", "text": "Look."}]},
        {"type": "function_call", "call_id": "a", "name": "bash", "arguments": '{"command": "ls"}'},
    ]
    data = mini(
        {"object": "response", "output": output}, {"type": "function_call_output", "call_id": "a", "output": "x"}
    )
    run = formats.read(data, "run")
    assert run.turns[0].reply.message.content == "Look."
    assert commands(run) == [["ls"]]
    assert run.turns[0].answers == ("x",)


@pytest.mark.parametrize(
    ("messages", "lacking"),
    [([said("assistant", "Hi"), said("user", "Go")], "user message"), ([said("user", "Go")], "assistant message")],
)
def test_a_run_without_a_task_or_a_reply_is_refused(messages, lacking):
    with pytest.raises(ValueError, match=f"recorded run r: no {lacking} where one is due"):
        formats.read(messages, "r")


# ---------------------------------------------------------------- SWE-agent


def test_swe_agents_steps_become_blocks_and_its_demonstration_goes_with_the_system_text():
    data = {
        "history": [
            said("system", "Act.", agent="main"),
            said("user", "A demonstration.", is_demo=True),
            said("user", "Fix it."),
        ],
        "trajectory": [
            {"thought": "Look.", "response": "Look.\n```\nls\n```", "action": "ls\n", "observation": "a.py"},
            {"thought": "Hm.", "response": "Hm.", "action": "", "observation": "No action."},
            {"thought": "Done.", "action": "submit", "observation": ""},
        ],
        "info": {"exit_status": "submitted"},
    }
    run = formats.read(data, "run")
    assert (run.system, run.task, run.status) == ("Act.\n\nA demonstration.", "Fix it.", "submitted")
    assert commands(run) == [["ls"], [""], ["submit"]]
    assert [turn.reply.message.content for turn in run.turns] == ["Look.\n```\nls\n```", "Hm.", "Done."]
    assert [turn.answers for turn in run.turns] == [("a.py",), ("No action.",), ("",)]


# ---------------------------------------------------------------- all


def test_an_unknown_format_or_shape_names_what_was_seen():
    with pytest.raises(ValueError, match=r"task.format=yaml is unknown; known: auto, huggingface, mini-swe-agent"):
        formats.read({}, "run", "yaml")
    with pytest.raises(ValueError, match=r"recorded run preds .*an object with the keys \['model', 'patch'\]"):
        formats.read({"model": 1, "patch": 2}, "preds")
    with pytest.raises(ValueError, match="not in swe-agent format"):
        formats.read(chat(), "run", "swe-agent")


def test_texts_that_no_record_can_hold_are_mended_and_all_others_kept():
    assert text_of("a\ud800b\x1b[31mc\r\n\t") == "a\ufffdb\ufffd[31mc\r\n\t"
    assert text_of(b"\xfe\xe4\xb8\xad") == "\ufffd中"
    assert text_of([{"type": "text", "text": "a"}, {"type": "image_url"}, "b"]) == "a\n[image_url not shown]\nb"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_every_other_text_is_kept(words):
    assert text_of(words) == words


def test_an_enormous_observation_is_kept_whole():
    huge = "x" * 5_000_000
    run = formats.read(mini(said("assistant", "```bash\nyes\n```"), said("user", huge), said("assistant", "x")), "run")
    assert run.turns[0].answers == (huge,)
