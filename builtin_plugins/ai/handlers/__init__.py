"""HTTP in and out, by subject."""

from builtin_plugins.ai.handlers import agent, chat, models

HANDLERS = {
    handler.__name__: handler
    for handler in (
        agent.agent,
        chat.echo,
        chat.chat,
        chat.stream_chat,
        models.read_model,
        models.read_roles,
        models.set_roles,
    )
}
