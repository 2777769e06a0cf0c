from guildhall_testing.hall import Hall


async def test_a_tool_shortens_a_text(hall: Hall) -> None:
    text = "one two three four five six seven eight nine ten eleven"
    short = await hall.tool("sample_plugin_shorten", as_=hall.acme.member, text=text)
    assert short == {"text": "one two three four five six seven eight nine ten", "left_out": 1}
