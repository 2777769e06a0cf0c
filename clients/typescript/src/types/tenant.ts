/** What the API says about tenant. */

export interface TenantResumeReply {
  suspended: boolean;
  suspended_at: string | null;
}
