import type { LogLevel } from '../node.ts';

const LEVELS: readonly LogLevel[] = ['Trace', 'Debug', 'Info', 'Warn', 'Error'];

/**
 * Tests whether lines of a level are kept. `RUST_LOG` in the flow's environment is the lowest level that is kept, such
 * as `debug` or `warn`. With `off`, no line is kept. The default is Info. Directives for modules (`module=debug`) have
 * no effect.
 */
export function isLogged(level: LogLevel, environment: { [name: string]: string }): boolean {
  const directives = (environment.RUST_LOG ?? '').split(',').map((directive) => directive.trim().toLowerCase());
  const wanted = directives.findLast((directive) =>
    directive === 'off' || LEVELS.some((one) => one.toLowerCase() === directive)
  );
  if (wanted === 'off') return false;
  const least = LEVELS.findIndex((one) => one.toLowerCase() === (wanted ?? 'info'));
  return LEVELS.indexOf(level) >= least;
}
