from guildhall_testing.hall import Hall


async def test_the_screen_is_in_the_navigation_and_its_module_is_served(hall: Hall) -> None:
    screens = (await hall.acme.member.get("/api/ui")).json()["screens"]
    (screen,) = (screen for screen in screens if screen["name"] == "sample-plugin")
    module = await hall.anonymous.get(screen["module"])
    assert module.headers["content-type"].startswith("text/javascript")
    assert "defineScreens" in module.text
