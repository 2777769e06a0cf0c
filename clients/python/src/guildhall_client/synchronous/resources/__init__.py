"""Every resource of the API."""

from functools import cached_property

from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.resources.account import Account
from guildhall_client.synchronous.resources.ai import Ai
from guildhall_client.synchronous.resources.approvals import Approvals
from guildhall_client.synchronous.resources.audit import Audit
from guildhall_client.synchronous.resources.beta import Beta
from guildhall_client.synchronous.resources.branding import Branding
from guildhall_client.synchronous.resources.companies import Companies
from guildhall_client.synchronous.resources.company import Company
from guildhall_client.synchronous.resources.connected_apps import ConnectedApps
from guildhall_client.synchronous.resources.conversation_folders import ConversationFolders
from guildhall_client.synchronous.resources.conversations import Conversations
from guildhall_client.synchronous.resources.documents import Documents
from guildhall_client.synchronous.resources.email import Email
from guildhall_client.synchronous.resources.executors import Executors
from guildhall_client.synchronous.resources.features import Features
from guildhall_client.synchronous.resources.files import Files
from guildhall_client.synchronous.resources.glossary import Glossary
from guildhall_client.synchronous.resources.hooks_in import HooksIn
from guildhall_client.synchronous.resources.instance import Instance
from guildhall_client.synchronous.resources.instance_sign_in_ways import InstanceSignInWays
from guildhall_client.synchronous.resources.jobs import Jobs
from guildhall_client.synchronous.resources.knowledge import Knowledge
from guildhall_client.synchronous.resources.localization import Localization
from guildhall_client.synchronous.resources.mail import Mail
from guildhall_client.synchronous.resources.mcp_servers import McpServers
from guildhall_client.synchronous.resources.members import Members
from guildhall_client.synchronous.resources.models import Models
from guildhall_client.synchronous.resources.notes import Notes
from guildhall_client.synchronous.resources.notification_kinds import NotificationKinds
from guildhall_client.synchronous.resources.notification_settings import NotificationSettings
from guildhall_client.synchronous.resources.notifications import Notifications
from guildhall_client.synchronous.resources.oauth import Oauth
from guildhall_client.synchronous.resources.passkeys import Passkeys
from guildhall_client.synchronous.resources.plugins import Plugins
from guildhall_client.synchronous.resources.preferences import Preferences
from guildhall_client.synchronous.resources.push_devices import PushDevices
from guildhall_client.synchronous.resources.quotas import Quotas
from guildhall_client.synchronous.resources.runs import Runs
from guildhall_client.synchronous.resources.s3_keys import S3Keys
from guildhall_client.synchronous.resources.sandboxed_plugins import SandboxedPlugins
from guildhall_client.synchronous.resources.schedule_times import ScheduleTimes
from guildhall_client.synchronous.resources.schedules import Schedules
from guildhall_client.synchronous.resources.search import Search
from guildhall_client.synchronous.resources.sessions import Sessions
from guildhall_client.synchronous.resources.sign_in_ways import SignInWays
from guildhall_client.synchronous.resources.team_secrets import TeamSecrets
from guildhall_client.synchronous.resources.tenant import Tenant
from guildhall_client.synchronous.resources.tokens import Tokens
from guildhall_client.synchronous.resources.tools import Tools
from guildhall_client.synchronous.resources.translations import Translations
from guildhall_client.synchronous.resources.triggers import Triggers
from guildhall_client.synchronous.resources.two_factor import TwoFactor
from guildhall_client.synchronous.resources.webhook_events import WebhookEvents
from guildhall_client.synchronous.resources.webhooks import Webhooks
from guildhall_client.synchronous.resources.workers import Workers
from guildhall_client.synchronous.resources.workflow_checks import WorkflowChecks
from guildhall_client.synchronous.resources.workflow_templates import WorkflowTemplates
from guildhall_client.synchronous.resources.workflow_tests import WorkflowTests
from guildhall_client.synchronous.resources.workflow_tries import WorkflowTries
from guildhall_client.synchronous.resources.workflows import Workflows


class Resources:
    """The resources of a client, each made when it is first used."""

    _api: Api

    @cached_property
    def account(self) -> Account:
        return Account(self._api)

    @cached_property
    def ai(self) -> Ai:
        return Ai(self._api)

    @cached_property
    def approvals(self) -> Approvals:
        return Approvals(self._api)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self._api)

    @cached_property
    def beta(self) -> Beta:
        return Beta(self._api)

    @cached_property
    def branding(self) -> Branding:
        return Branding(self._api)

    @cached_property
    def companies(self) -> Companies:
        return Companies(self._api)

    @cached_property
    def company(self) -> Company:
        return Company(self._api)

    @cached_property
    def connected_apps(self) -> ConnectedApps:
        return ConnectedApps(self._api)

    @cached_property
    def conversation_folders(self) -> ConversationFolders:
        return ConversationFolders(self._api)

    @cached_property
    def conversations(self) -> Conversations:
        return Conversations(self._api)

    @cached_property
    def documents(self) -> Documents:
        return Documents(self._api)

    @cached_property
    def email(self) -> Email:
        return Email(self._api)

    @cached_property
    def executors(self) -> Executors:
        return Executors(self._api)

    @cached_property
    def features(self) -> Features:
        return Features(self._api)

    @cached_property
    def files(self) -> Files:
        return Files(self._api)

    @cached_property
    def glossary(self) -> Glossary:
        return Glossary(self._api)

    @cached_property
    def hooks_in(self) -> HooksIn:
        return HooksIn(self._api)

    @cached_property
    def instance(self) -> Instance:
        return Instance(self._api)

    @cached_property
    def instance_sign_in_ways(self) -> InstanceSignInWays:
        return InstanceSignInWays(self._api)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self._api)

    @cached_property
    def knowledge(self) -> Knowledge:
        return Knowledge(self._api)

    @cached_property
    def localization(self) -> Localization:
        return Localization(self._api)

    @cached_property
    def mail(self) -> Mail:
        return Mail(self._api)

    @cached_property
    def mcp_servers(self) -> McpServers:
        return McpServers(self._api)

    @cached_property
    def members(self) -> Members:
        return Members(self._api)

    @cached_property
    def models(self) -> Models:
        return Models(self._api)

    @cached_property
    def notes(self) -> Notes:
        return Notes(self._api)

    @cached_property
    def notification_kinds(self) -> NotificationKinds:
        return NotificationKinds(self._api)

    @cached_property
    def notification_settings(self) -> NotificationSettings:
        return NotificationSettings(self._api)

    @cached_property
    def notifications(self) -> Notifications:
        return Notifications(self._api)

    @cached_property
    def oauth(self) -> Oauth:
        return Oauth(self._api)

    @cached_property
    def passkeys(self) -> Passkeys:
        return Passkeys(self._api)

    @cached_property
    def plugins(self) -> Plugins:
        return Plugins(self._api)

    @cached_property
    def preferences(self) -> Preferences:
        return Preferences(self._api)

    @cached_property
    def push_devices(self) -> PushDevices:
        return PushDevices(self._api)

    @cached_property
    def quotas(self) -> Quotas:
        return Quotas(self._api)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self._api)

    @cached_property
    def s3_keys(self) -> S3Keys:
        return S3Keys(self._api)

    @cached_property
    def sandboxed_plugins(self) -> SandboxedPlugins:
        return SandboxedPlugins(self._api)

    @cached_property
    def schedule_times(self) -> ScheduleTimes:
        return ScheduleTimes(self._api)

    @cached_property
    def schedules(self) -> Schedules:
        return Schedules(self._api)

    @cached_property
    def search(self) -> Search:
        return Search(self._api)

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self._api)

    @cached_property
    def sign_in_ways(self) -> SignInWays:
        return SignInWays(self._api)

    @cached_property
    def team_secrets(self) -> TeamSecrets:
        return TeamSecrets(self._api)

    @cached_property
    def tenant(self) -> Tenant:
        return Tenant(self._api)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self._api)

    @cached_property
    def tools(self) -> Tools:
        return Tools(self._api)

    @cached_property
    def translations(self) -> Translations:
        return Translations(self._api)

    @cached_property
    def triggers(self) -> Triggers:
        return Triggers(self._api)

    @cached_property
    def two_factor(self) -> TwoFactor:
        return TwoFactor(self._api)

    @cached_property
    def webhook_events(self) -> WebhookEvents:
        return WebhookEvents(self._api)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self._api)

    @cached_property
    def workers(self) -> Workers:
        return Workers(self._api)

    @cached_property
    def workflow_checks(self) -> WorkflowChecks:
        return WorkflowChecks(self._api)

    @cached_property
    def workflow_templates(self) -> WorkflowTemplates:
        return WorkflowTemplates(self._api)

    @cached_property
    def workflow_tests(self) -> WorkflowTests:
        return WorkflowTests(self._api)

    @cached_property
    def workflow_tries(self) -> WorkflowTries:
        return WorkflowTries(self._api)

    @cached_property
    def workflows(self) -> Workflows:
        return Workflows(self._api)
