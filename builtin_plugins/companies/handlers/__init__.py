"""What the rows name."""

from builtin_plugins.companies.handlers import company, hosted, orgs, people, seeding

HANDLERS = {
    "create_org": orgs.create_org,
    "list_orgs": orgs.list_orgs,
    "get_org": orgs.get_org,
    "change_org": orgs.change_org,
    "suspend_org": orgs.suspend_org,
    "resume_org": orgs.resume_org,
    "set_org_quota": orgs.set_org_quota,
    "demo_allowed": seeding.demo_allowed,
    "seed_tenants": seeding.seed_tenants,
    "own_org": company.own_org,
    "list_teams": company.list_teams,
    "create_team": company.create_team,
    "list_people": people.list_people,
    "add_person": people.add_person,
    "change_person": people.change_person,
    "provision": hosted.provision,
    "activate": hosted.activate,
    "suspend_tenant": hosted.suspend_tenant,
    "resume_tenant": hosted.resume_tenant,
    "set_tenant_quota": hosted.set_tenant_quota,
}
