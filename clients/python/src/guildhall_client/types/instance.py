"""What the API says about instance."""

from typing import Literal, NotRequired, TypedDict

from guildhall_client.types.companies import ListedCompany
from guildhall_client.types.sandboxed_plugins import SandboxedPluginMeasured


class InstanceBackupsLast(TypedDict):
    age_seconds: int
    at: str
    name: str
    #: Whether it was restored on trial
    rehearsed: bool


class InstanceBackups(TypedDict):
    encrypted: bool
    every_seconds: int
    keep: int
    last: InstanceBackupsLast | None
    #: Whether one should have been made long ago
    overdue: bool
    #: Whether each is to be restored on trial
    rehearses: bool
    to: str | None


class InstanceConfigLocalizationLocale(TypedDict):
    code: str
    dir: Literal["ltr", "rtl"]
    name: str


class InstanceConfigLocalization(TypedDict):
    default_locale: str
    locales: list[InstanceConfigLocalizationLocale]
    switching: bool


class InstanceConfig(TypedDict):
    home: Literal["console", "beta"]
    hosted: bool
    localization: InstanceConfigLocalization
    multitenant: bool
    needs_bootstrap: bool
    version: str


class InstanceExplainGate(TypedDict):
    because: str
    decision: Literal["allow", "deny", "skip"]
    gate: Literal["rate", "suspension", "feature", "permission", "scope", "quota"]
    lifted_by: str | None
    plugin: str
    rule: str | None


class InstanceExplain(TypedDict):
    allowed: bool
    gates: list[InstanceExplainGate]


class InstanceHealth(TypedDict):
    multitenant: bool
    ok: bool


class InstanceHealthMachineCompany(TypedDict):
    id: str
    name: str
    running: int
    waiting: int


class InstanceHealthMachineDatabase(TypedDict):
    bytes: int
    engine: str
    waited_seconds: float


class InstanceHealthMachineHistory(TypedDict):
    at: str
    failed_per_second: float
    jobs_per_second: float
    #: Of the requests of this while; 0 where there was none
    p95_ms: float
    requests_per_second: float
    streams: int


class InstanceHealthMachineJobs(TypedDict):
    longest_wait_seconds: float
    running: int
    waiting: int


class InstanceHealthMachineSlowStatement(TypedDict):
    at: str
    ms: int
    name: str
    plugin: str


class InstanceHealthMachineTotals(TypedDict):
    #: Of them, with a 5xx
    failed: int
    #: Attempts that ended since the start
    jobs_ended: int
    jobs_failed: int
    #: Answered since the start
    requests: int
    #: Open now
    streams: int


class InstanceHealthMachine(TypedDict):
    at: str
    #: Those with the most jobs now
    companies: list[InstanceHealthMachineCompany]
    database: InstanceHealthMachineDatabase
    #: Every ten seconds, of the process that answers
    history: list[InstanceHealthMachineHistory]
    #: Now
    jobs: InstanceHealthMachineJobs
    memory_bytes: int
    #: Server processes that share the database
    processes: int
    ready: bool
    #: The last ones of the process that answers, the newest first
    slow_statements: list[InstanceHealthMachineSlowStatement]
    #: Of all processes of this machine's server
    totals: InstanceHealthMachineTotals
    #: Why it is not ready: starting, draining, database or disk
    trouble: NotRequired[str]
    version: str


class InstanceMetricsItemSample(TypedDict):
    #: Of a histogram: upper bound to how many were at most that
    buckets: NotRequired[dict[str, int]]
    labels: dict[str, str]
    #: Of a histogram alone
    sum: NotRequired[float]
    #: Of a histogram: how many were observed
    value: float


class InstanceMetricsItem(TypedDict):
    help: str
    name: str
    samples: list[InstanceMetricsItemSample]
    type: Literal["counter", "gauge", "histogram"]


class InstanceMetrics(TypedDict):
    items: list[InstanceMetricsItem]
    next_cursor: str | None


class InstanceReady(TypedDict):
    ready: bool


class InstanceSeedReply(TypedDict):
    created: int
    existing: int


class InstanceSeedTenantsReplyItemPeople(TypedDict):
    org_role: str | None
    password: str
    role: str
    username: str


class InstanceSeedTenantsReplyItemTeam(TypedDict):
    id: str
    name: str
    slug: str


class InstanceSeedTenantsReplyItem(TypedDict):
    org: ListedCompany
    people: list[InstanceSeedTenantsReplyItemPeople]
    team: InstanceSeedTenantsReplyItemTeam


class InstanceSeedTenantsReply(TypedDict):
    items: list[InstanceSeedTenantsReplyItem]
    next_cursor: str | None


class InstanceSeededTenants(TypedDict):
    #: SERVICE_DEMO is on here
    enabled: bool


class InstanceStatusCounts(TypedDict):
    audit_events: int
    notes: int
    orgs: int
    teams: int
    tenants: int
    tokens: int
    users: int


class InstanceStatusSandbox(TypedDict):
    extraction: Literal["confined", "unconfined", "refused"]
    #: Whether a hostile process in the sandbox was refused every attempt
    measured: SandboxedPluginMeasured
    #: B: what reads documents is closed; C: limits alone
    tier: Literal["A", "B", "C"]


class InstanceStatusSecretsAtRest(TypedDict):
    #: Still sealed by an older data key
    awaiting_reseal: int
    cipher: str
    #: The data key that seals now; its id, never the key
    key_id: str
    secrets: int
    #: resealing: a rotation is not finished
    state: Literal["sealed", "resealing"]


class InstanceStatus(TypedDict):
    counts: InstanceStatusCounts
    #: How passwords are hashed, and at what cost
    kdf: str
    multitenant: bool
    sandbox: InstanceStatusSandbox
    secrets_at_rest: InstanceStatusSecretsAtRest
    #: proxy: whoever stands in front speaks TLS; see base_url
    tls: Literal["off", "proxy"]
    version: str


class InstanceEmailDomainOrg(TypedDict):
    id: str
    name: str


class InstanceEmailDomain(TypedDict):
    claimed_at: str
    confirmed_at: str | None
    #: Whether another company's people had addresses there before
    contested: bool
    domain: str
    org: InstanceEmailDomainOrg
    way_id: str


class InstanceEmailDomainPage(TypedDict):
    items: list[InstanceEmailDomain]
    next_cursor: str | None


class InstanceMailUser(TypedDict):
    id: str
    username: str


class InstanceMail(TypedDict):
    attempts: int
    created_at: str
    ended_at: str | None
    error: str | None
    id: str
    #: What it is, such as companies.reset
    name: str
    next_attempt_at: str | None
    org: InstanceEmailDomainOrg | None
    #: refused: the address does not take it; held_back: too many
    state: Literal["waiting", "sent", "refused", "failed", "expired", "held_back"]
    to: str
    user: InstanceMailUser | None


class InstanceMailPage(TypedDict):
    #: Whether SERVICE_MAIL_URL names a server
    is_set_up: bool
    items: list[InstanceMail]
    next_cursor: str | None
    #: Whom mail is from
    sender: str


__all__ = [
    "InstanceBackups",
    "InstanceBackupsLast",
    "InstanceConfig",
    "InstanceConfigLocalization",
    "InstanceConfigLocalizationLocale",
    "InstanceEmailDomain",
    "InstanceEmailDomainOrg",
    "InstanceEmailDomainPage",
    "InstanceExplain",
    "InstanceExplainGate",
    "InstanceHealth",
    "InstanceHealthMachine",
    "InstanceHealthMachineCompany",
    "InstanceHealthMachineDatabase",
    "InstanceHealthMachineHistory",
    "InstanceHealthMachineJobs",
    "InstanceHealthMachineSlowStatement",
    "InstanceHealthMachineTotals",
    "InstanceMail",
    "InstanceMailPage",
    "InstanceMailUser",
    "InstanceMetrics",
    "InstanceMetricsItem",
    "InstanceMetricsItemSample",
    "InstanceReady",
    "InstanceSeedReply",
    "InstanceSeedTenantsReply",
    "InstanceSeedTenantsReplyItem",
    "InstanceSeedTenantsReplyItemPeople",
    "InstanceSeedTenantsReplyItemTeam",
    "InstanceSeededTenants",
    "InstanceStatus",
    "InstanceStatusCounts",
    "InstanceStatusSandbox",
    "InstanceStatusSecretsAtRest",
]
