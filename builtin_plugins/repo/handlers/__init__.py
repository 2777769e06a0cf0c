"""HTTP in and out."""

from builtin_plugins.repo.handlers.content import (
    begin_playback,
    play_content,
    put_object,
    read_content,
    read_diff,
    read_thumbnail,
)
from builtin_plugins.repo.handlers.documents import (
    create_document,
    delete_document,
    list_documents,
    read_document,
    update_document,
)
from builtin_plugins.repo.handlers.objects import (
    delete_object,
    list_grants,
    list_objects,
    list_share_targets,
    move_folder,
    move_object,
    read_derivations,
    read_lifecycle,
    read_object,
    read_processing,
    read_text,
    restore_object,
    set_lifecycle,
    set_visibility,
    share_object,
    unshare_object,
)

HANDLERS = {
    handler.__name__: handler
    for handler in (
        begin_playback,
        create_document,
        delete_document,
        delete_object,
        list_documents,
        list_grants,
        list_objects,
        list_share_targets,
        move_folder,
        move_object,
        play_content,
        put_object,
        read_content,
        read_derivations,
        read_diff,
        read_document,
        read_lifecycle,
        read_object,
        read_processing,
        read_text,
        read_thumbnail,
        restore_object,
        set_lifecycle,
        set_visibility,
        share_object,
        unshare_object,
        update_document,
    )
}
