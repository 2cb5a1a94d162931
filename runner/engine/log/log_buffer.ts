import { isLogged } from './log_filter.ts';
import type { NodeCall } from '../node.ts';
import { toLogContent } from '../limits/text_limits.ts';

type LoggedLine = Parameters<NodeCall['log']>;

/** The most lines, and the most characters in total, that a run may log. Further lines are left out. */
interface LogLimits {
  readonly logLines: number;
  readonly logCharacters: number;
}

/** Collected log lines. Whether they are written is decided later. */
export class LogBuffer {
  readonly lines: LoggedLine[] = [];
  readonly #environment: { [name: string]: string };
  readonly #limits: LogLimits;
  #characters = 0;

  /** `environment` is the flow's environment, which sets the lowest level that is logged. */
  constructor(environment: { [name: string]: string }, limits: LogLimits) {
    this.#environment = environment;
    this.#limits = limits;
  }

  /**
   * Keeps a line, unless the run's log would drop it. The first line beyond the limit is kept, so that the log can note
   * that lines are left out.
   */
  readonly add = (...[level, content]: LoggedLine): void => {
    const { logLines, logCharacters } = this.#limits;
    if (this.lines.length >= logLines || this.#characters > logCharacters) return;
    if (!isLogged(level, this.#environment)) return;
    const kept = toLogContent(content);
    this.#characters += kept.length;
    this.lines.push([level, kept]);
  };
}
