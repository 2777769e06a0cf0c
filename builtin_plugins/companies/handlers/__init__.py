"""What the rows name."""

from builtin_plugins.companies.handlers import hosted, links, orgs, people, teams

HANDLERS = {
    "create_org": orgs.create_org,
    "list_orgs": orgs.list_orgs,
    "get_org": orgs.get_org,
    "change_org": orgs.change_org,
    "suspend_org": orgs.suspend_org,
    "resume_org": orgs.resume_org,
    "set_org_quota": orgs.set_org_quota,
    "demo_allowed": orgs.demo_allowed,
    "seed_tenants": orgs.seed_tenants,
    "own_org": teams.own_org,
    "list_teams": teams.list_teams,
    "create_team": teams.create_team,
    "list_people": people.list_people,
    "add_person": people.add_person,
    "change_person": people.change_person,
    "provision": hosted.provision,
    "activate": links.activate,
    "reset_password": links.activate,
    "make_invitation": links.make_invitation,
    "make_password_reset": links.make_password_reset,
    "suspend_person": people.suspend_person,
    "resume_person": people.resume_person,
    "remove_person": people.remove_person,
    "rename_team": teams.rename_team,
    "delete_team": teams.delete_team,
    "suspend_tenant": hosted.suspend_tenant,
    "resume_tenant": hosted.resume_tenant,
    "set_tenant_quota": hosted.set_tenant_quota,
}
