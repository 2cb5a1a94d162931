import { definitionLimits } from '../../types/limits/definitions.ts';
import { flowLimits } from '../../types/limits/flows.ts';
import { OperationRefused } from './documents.ts';

/** The ports of one side, each with a name of its own. */
export class Names {
  readonly #taken: Set<string>;
  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** Returns the name, with the place behind it if another port has the name. */
  take(name: string, place: string): string {
    if (name === '' || name.length > definitionLimits.definition_name_characters.value || /\p{Cc}/u.test(name)) {
      throw new OperationRefused('a parameter or property has no printable name');
    }
    let free = this.#taken.has(name) ? `${name}_${place}` : name;
    for (let number = 2; this.#taken.has(free); number++) {
      if (number > 100) throw new OperationRefused('too many parameters have the same name');
      free = `${name}_${place}_${number}`;
    }
    this.#taken.add(free);
    if (this.#taken.size > flowLimits.node_ports.value) {
      throw new OperationRefused(`the operation has more than ${flowLimits.node_ports.value} inputs or outputs`);
    }
    return free;
  }
}
