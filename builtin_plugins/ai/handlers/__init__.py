"""HTTP in and out, by subject."""

from builtin_plugins.ai.handlers import chat, models

HANDLERS = {
    handler.__name__: handler
    for handler in (
        chat.echo,
        chat.chat,
        chat.stream_chat,
        models.read_model,
        models.read_roles,
        models.set_roles,
    )
}
