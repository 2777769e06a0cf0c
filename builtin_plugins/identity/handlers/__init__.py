"""What the rows name."""

from builtin_plugins.identity.handlers import members, profile, sessions, tokens, two_factor

HANDLERS = {
    "bootstrap": members.bootstrap,
    "login": sessions.login,
    "confirm_session": sessions.confirm_session,
    "logout": sessions.logout,
    "switch_team": sessions.switch_team,
    "list_sessions": sessions.list_sessions,
    "end_session": sessions.end_session,
    "whoami": profile.whoami,
    "read_profile": profile.read_profile,
    "update_profile": profile.update_profile,
    "confirm_email": profile.confirm_email,
    "change_password": profile.change_password,
    "enable_two_factor": two_factor.enable,
    "enable_two_factor_by_passkeys": two_factor.enable_by_passkeys,
    "confirm_two_factor": two_factor.confirm,
    "disable_two_factor": two_factor.disable,
    "replace_recovery_codes": two_factor.replace_recovery_codes,
    "count_recovery_codes": two_factor.count_recovery_codes,
    "revoke_two_factor": two_factor.revoke,
    "add_member": members.add_member,
    "list_members": members.list_members,
    "change_role": members.change_role,
    "remove_member": members.remove_member,
    "issue_token": tokens.issue_token,
    "list_tokens": tokens.list_tokens,
    "revoke_token": tokens.revoke_token,
}
