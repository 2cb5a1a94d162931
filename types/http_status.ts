const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** True for the statuses that lead to another address. Source: RFC 9110, section 15.4. */
export const isRedirect = (status: number): boolean => REDIRECTS.has(status);
