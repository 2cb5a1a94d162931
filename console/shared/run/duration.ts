/** Describes a duration in its one or two largest units: `850 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `7 days`. */
export function describeDuration(ms: number): string {
  const shown = Math.max(0, ms);
  if (shown < 1_000) return `${Math.round(shown)} ms`;
  if (shown < 60_000) return `${(shown / 1_000).toFixed(1)} s`;
  const seconds = Math.round(shown / 1_000);
  if (seconds < 3_600) return `${Math.trunc(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return `${Math.trunc(minutes / 60)} h ${minutes % 60} min`;
  const days = Math.trunc(minutes / 1_440);
  const hours = Math.trunc((minutes % 1_440) / 60);
  if (hours > 0) return `${days} d ${hours} h`;
  return days === 1 ? '1 day' : `${days} days`;
}

/** Returns the milliseconds between two times of the database; undefined if one is missing. */
export const msBetween = (start: string | null, end: string | null): number | undefined =>
  start === null || end === null ? undefined : new Date(end).getTime() - new Date(start).getTime();
