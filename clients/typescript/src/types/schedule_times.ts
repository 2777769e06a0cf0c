/** What the API says about schedule times. */

export interface ScheduleTime {
  next: string[];
}
