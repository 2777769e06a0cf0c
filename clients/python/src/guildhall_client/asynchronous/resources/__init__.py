"""Every resource of the API."""

from functools import cached_property

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.resources.account import AsyncAccount
from guildhall_client.asynchronous.resources.ai import AsyncAi
from guildhall_client.asynchronous.resources.approvals import AsyncApprovals
from guildhall_client.asynchronous.resources.audit import AsyncAudit
from guildhall_client.asynchronous.resources.beta import AsyncBeta
from guildhall_client.asynchronous.resources.branding import AsyncBranding
from guildhall_client.asynchronous.resources.companies import AsyncCompanies
from guildhall_client.asynchronous.resources.company import AsyncCompany
from guildhall_client.asynchronous.resources.connected_apps import AsyncConnectedApps
from guildhall_client.asynchronous.resources.conversation_folders import AsyncConversationFolders
from guildhall_client.asynchronous.resources.conversations import AsyncConversations
from guildhall_client.asynchronous.resources.documents import AsyncDocuments
from guildhall_client.asynchronous.resources.email import AsyncEmail
from guildhall_client.asynchronous.resources.executors import AsyncExecutors
from guildhall_client.asynchronous.resources.features import AsyncFeatures
from guildhall_client.asynchronous.resources.files import AsyncFiles
from guildhall_client.asynchronous.resources.glossary import AsyncGlossary
from guildhall_client.asynchronous.resources.hooks_in import AsyncHooksIn
from guildhall_client.asynchronous.resources.instance import AsyncInstance
from guildhall_client.asynchronous.resources.instance_sign_in_ways import AsyncInstanceSignInWays
from guildhall_client.asynchronous.resources.jobs import AsyncJobs
from guildhall_client.asynchronous.resources.knowledge import AsyncKnowledge
from guildhall_client.asynchronous.resources.localization import AsyncLocalization
from guildhall_client.asynchronous.resources.mail import AsyncMail
from guildhall_client.asynchronous.resources.mcp_servers import AsyncMcpServers
from guildhall_client.asynchronous.resources.members import AsyncMembers
from guildhall_client.asynchronous.resources.models import AsyncModels
from guildhall_client.asynchronous.resources.notes import AsyncNotes
from guildhall_client.asynchronous.resources.notification_kinds import AsyncNotificationKinds
from guildhall_client.asynchronous.resources.notification_settings import AsyncNotificationSettings
from guildhall_client.asynchronous.resources.notifications import AsyncNotifications
from guildhall_client.asynchronous.resources.oauth import AsyncOauth
from guildhall_client.asynchronous.resources.passkeys import AsyncPasskeys
from guildhall_client.asynchronous.resources.plugins import AsyncPlugins
from guildhall_client.asynchronous.resources.preferences import AsyncPreferences
from guildhall_client.asynchronous.resources.push_devices import AsyncPushDevices
from guildhall_client.asynchronous.resources.quotas import AsyncQuotas
from guildhall_client.asynchronous.resources.runs import AsyncRuns
from guildhall_client.asynchronous.resources.s3_keys import AsyncS3Keys
from guildhall_client.asynchronous.resources.sandboxed_plugins import AsyncSandboxedPlugins
from guildhall_client.asynchronous.resources.schedule_times import AsyncScheduleTimes
from guildhall_client.asynchronous.resources.schedules import AsyncSchedules
from guildhall_client.asynchronous.resources.search import AsyncSearch
from guildhall_client.asynchronous.resources.sessions import AsyncSessions
from guildhall_client.asynchronous.resources.sign_in_ways import AsyncSignInWays
from guildhall_client.asynchronous.resources.team_secrets import AsyncTeamSecrets
from guildhall_client.asynchronous.resources.tenant import AsyncTenant
from guildhall_client.asynchronous.resources.tokens import AsyncTokens
from guildhall_client.asynchronous.resources.tools import AsyncTools
from guildhall_client.asynchronous.resources.translations import AsyncTranslations
from guildhall_client.asynchronous.resources.triggers import AsyncTriggers
from guildhall_client.asynchronous.resources.two_factor import AsyncTwoFactor
from guildhall_client.asynchronous.resources.webhook_events import AsyncWebhookEvents
from guildhall_client.asynchronous.resources.webhooks import AsyncWebhooks
from guildhall_client.asynchronous.resources.workers import AsyncWorkers
from guildhall_client.asynchronous.resources.workflow_checks import AsyncWorkflowChecks
from guildhall_client.asynchronous.resources.workflow_templates import AsyncWorkflowTemplates
from guildhall_client.asynchronous.resources.workflow_tests import AsyncWorkflowTests
from guildhall_client.asynchronous.resources.workflow_tries import AsyncWorkflowTries
from guildhall_client.asynchronous.resources.workflows import AsyncWorkflows


class AsyncResources:
    """The resources of a client, each made when it is first used."""

    _api: AsyncApi

    @cached_property
    def account(self) -> AsyncAccount:
        return AsyncAccount(self._api)

    @cached_property
    def ai(self) -> AsyncAi:
        return AsyncAi(self._api)

    @cached_property
    def approvals(self) -> AsyncApprovals:
        return AsyncApprovals(self._api)

    @cached_property
    def audit(self) -> AsyncAudit:
        return AsyncAudit(self._api)

    @cached_property
    def beta(self) -> AsyncBeta:
        return AsyncBeta(self._api)

    @cached_property
    def branding(self) -> AsyncBranding:
        return AsyncBranding(self._api)

    @cached_property
    def companies(self) -> AsyncCompanies:
        return AsyncCompanies(self._api)

    @cached_property
    def company(self) -> AsyncCompany:
        return AsyncCompany(self._api)

    @cached_property
    def connected_apps(self) -> AsyncConnectedApps:
        return AsyncConnectedApps(self._api)

    @cached_property
    def conversation_folders(self) -> AsyncConversationFolders:
        return AsyncConversationFolders(self._api)

    @cached_property
    def conversations(self) -> AsyncConversations:
        return AsyncConversations(self._api)

    @cached_property
    def documents(self) -> AsyncDocuments:
        return AsyncDocuments(self._api)

    @cached_property
    def email(self) -> AsyncEmail:
        return AsyncEmail(self._api)

    @cached_property
    def executors(self) -> AsyncExecutors:
        return AsyncExecutors(self._api)

    @cached_property
    def features(self) -> AsyncFeatures:
        return AsyncFeatures(self._api)

    @cached_property
    def files(self) -> AsyncFiles:
        return AsyncFiles(self._api)

    @cached_property
    def glossary(self) -> AsyncGlossary:
        return AsyncGlossary(self._api)

    @cached_property
    def hooks_in(self) -> AsyncHooksIn:
        return AsyncHooksIn(self._api)

    @cached_property
    def instance(self) -> AsyncInstance:
        return AsyncInstance(self._api)

    @cached_property
    def instance_sign_in_ways(self) -> AsyncInstanceSignInWays:
        return AsyncInstanceSignInWays(self._api)

    @cached_property
    def jobs(self) -> AsyncJobs:
        return AsyncJobs(self._api)

    @cached_property
    def knowledge(self) -> AsyncKnowledge:
        return AsyncKnowledge(self._api)

    @cached_property
    def localization(self) -> AsyncLocalization:
        return AsyncLocalization(self._api)

    @cached_property
    def mail(self) -> AsyncMail:
        return AsyncMail(self._api)

    @cached_property
    def mcp_servers(self) -> AsyncMcpServers:
        return AsyncMcpServers(self._api)

    @cached_property
    def members(self) -> AsyncMembers:
        return AsyncMembers(self._api)

    @cached_property
    def models(self) -> AsyncModels:
        return AsyncModels(self._api)

    @cached_property
    def notes(self) -> AsyncNotes:
        return AsyncNotes(self._api)

    @cached_property
    def notification_kinds(self) -> AsyncNotificationKinds:
        return AsyncNotificationKinds(self._api)

    @cached_property
    def notification_settings(self) -> AsyncNotificationSettings:
        return AsyncNotificationSettings(self._api)

    @cached_property
    def notifications(self) -> AsyncNotifications:
        return AsyncNotifications(self._api)

    @cached_property
    def oauth(self) -> AsyncOauth:
        return AsyncOauth(self._api)

    @cached_property
    def passkeys(self) -> AsyncPasskeys:
        return AsyncPasskeys(self._api)

    @cached_property
    def plugins(self) -> AsyncPlugins:
        return AsyncPlugins(self._api)

    @cached_property
    def preferences(self) -> AsyncPreferences:
        return AsyncPreferences(self._api)

    @cached_property
    def push_devices(self) -> AsyncPushDevices:
        return AsyncPushDevices(self._api)

    @cached_property
    def quotas(self) -> AsyncQuotas:
        return AsyncQuotas(self._api)

    @cached_property
    def runs(self) -> AsyncRuns:
        return AsyncRuns(self._api)

    @cached_property
    def s3_keys(self) -> AsyncS3Keys:
        return AsyncS3Keys(self._api)

    @cached_property
    def sandboxed_plugins(self) -> AsyncSandboxedPlugins:
        return AsyncSandboxedPlugins(self._api)

    @cached_property
    def schedule_times(self) -> AsyncScheduleTimes:
        return AsyncScheduleTimes(self._api)

    @cached_property
    def schedules(self) -> AsyncSchedules:
        return AsyncSchedules(self._api)

    @cached_property
    def search(self) -> AsyncSearch:
        return AsyncSearch(self._api)

    @cached_property
    def sessions(self) -> AsyncSessions:
        return AsyncSessions(self._api)

    @cached_property
    def sign_in_ways(self) -> AsyncSignInWays:
        return AsyncSignInWays(self._api)

    @cached_property
    def team_secrets(self) -> AsyncTeamSecrets:
        return AsyncTeamSecrets(self._api)

    @cached_property
    def tenant(self) -> AsyncTenant:
        return AsyncTenant(self._api)

    @cached_property
    def tokens(self) -> AsyncTokens:
        return AsyncTokens(self._api)

    @cached_property
    def tools(self) -> AsyncTools:
        return AsyncTools(self._api)

    @cached_property
    def translations(self) -> AsyncTranslations:
        return AsyncTranslations(self._api)

    @cached_property
    def triggers(self) -> AsyncTriggers:
        return AsyncTriggers(self._api)

    @cached_property
    def two_factor(self) -> AsyncTwoFactor:
        return AsyncTwoFactor(self._api)

    @cached_property
    def webhook_events(self) -> AsyncWebhookEvents:
        return AsyncWebhookEvents(self._api)

    @cached_property
    def webhooks(self) -> AsyncWebhooks:
        return AsyncWebhooks(self._api)

    @cached_property
    def workers(self) -> AsyncWorkers:
        return AsyncWorkers(self._api)

    @cached_property
    def workflow_checks(self) -> AsyncWorkflowChecks:
        return AsyncWorkflowChecks(self._api)

    @cached_property
    def workflow_templates(self) -> AsyncWorkflowTemplates:
        return AsyncWorkflowTemplates(self._api)

    @cached_property
    def workflow_tests(self) -> AsyncWorkflowTests:
        return AsyncWorkflowTests(self._api)

    @cached_property
    def workflow_tries(self) -> AsyncWorkflowTries:
        return AsyncWorkflowTries(self._api)

    @cached_property
    def workflows(self) -> AsyncWorkflows:
        return AsyncWorkflows(self._api)
