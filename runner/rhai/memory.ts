import { Budget } from './budget.ts';
import { Blob, Container, countCharacters, FnPointer, RhaiArray, RhaiMap, type RhaiValue, Weight } from './values.ts';

/** Makes and copies a run's data, and counts its size. */
export class Memory extends Budget {
  readonly #limit = new Weight();

  constructor(...args: ConstructorParameters<typeof Budget>) {
    super(...args);
    this.#limit.elements = this.#limit.entries = this.limits.elements;
    this.#limit.text = this.limits.stringLength;
  }

  /** Copies a stored value. Scripts copy each value that they store in another place. */
  copy(value: RhaiValue): RhaiValue {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof RhaiArray) {
      this.charge(value.items.length);
      const copy = new RhaiArray(value.items.map((item) => this.#copyInto(item)));
      return this.#likeOriginal(copy, value, copy.items);
    }
    if (value instanceof RhaiMap) {
      this.charge(value.properties.size);
      const copy = new RhaiMap(new Map([...value.properties].map(([key, member]) => [key, this.#copyInto(member)])));
      return this.#likeOriginal(copy, value, copy.properties.values());
    }
    if (value instanceof Blob) {
      this.chargeText(value.bytes.length);
      return new Blob(value.bytes.slice());
    }
    return value;
  }

  /** Charges for reading a value and all its contents once. */
  chargeValue(value: RhaiValue): void {
    if (typeof value === 'string') this.chargeText(value.length);
    else if (value instanceof Container) {
      this.charge(value.elements + value.entries);
      this.chargeText(value.text);
    } else if (value instanceof Blob) this.charge(value.bytes.length >> 2);
    else if (value instanceof FnPointer) this.chargeValue(value.curried);
  }

  #copyInto(value: RhaiValue): RhaiValue {
    return typeof value === 'object' ? this.copy(value) : value;
  }

  #likeOriginal<C extends Container>(copy: C, original: Container, members: Iterable<RhaiValue>): C {
    copy.elements = original.elements;
    copy.entries = original.entries;
    copy.text = original.text;
    copy.given = original.given;
    for (const member of members) if (member instanceof Container) member.owner = copy;
    return copy;
  }

  newArray(items: RhaiValue[]): RhaiArray {
    const array = new RhaiArray(items);
    this.adopt(array, items);
    return array;
  }

  newMap(properties: Map<string, RhaiValue>): RhaiMap {
    const map = new RhaiMap(properties);
    let keyLength = 0;
    for (const key of properties.keys()) keyLength += key.length;
    this.adopt(map, [...properties.values()], keyLength);
    return map;
  }

  /**
   * Curries a function pointer with further arguments, which the caller has copied. These arguments count like elements
   * of an array, also in the weight of containers that hold the pointer.
   */
  curry({ name, captured, closure, curried }: FnPointer, args: readonly RhaiValue[]): FnPointer {
    const held = new RhaiArray([...curried.items, ...args]);
    const height = this.adopt(held, held.items);
    this.#weigh(held);
    return new FnPointer(name, captured, closure, held, height);
  }

  newText(text: string): string {
    if (text.length > this.limits.stringLength && countCharacters(text) > this.limits.stringLength) {
      this.fail('DataTooLarge', `Length of string too large: more than ${this.limits.stringLength} characters`);
    }
    return text;
  }

  newBlob(bytes: Uint8Array): Blob {
    this.checkLength(bytes.length);
    this.chargeText(bytes.length);
    return new Blob(bytes);
  }

  /** Fails if an array or blob of this length would be too large. Must be called before the elements are made. */
  checkLength(length: number): void {
    if (length > this.limits.elements) {
      this.fail('DataTooLarge', `Size of array/BLOB too large: more than ${this.limits.elements} elements`);
    }
  }

  /**
   * Counts new members of a container, and the length of their keys if it is a map. Returns the depth to which
   * containers are nested from this container down to the new members.
   */
  adopt(container: Container, members: readonly RhaiValue[], keyLength = 0): number {
    const weight = new Weight();
    weight.text = keyLength;
    let height = 0;
    for (const member of members) {
      if (typeof member === 'number') continue;
      if (member instanceof Container) {
        member.owner = container;
        height = Math.max(height, this.#heightOf(member));
      } else if (member instanceof FnPointer) {
        height = Math.max(height, member.height);
      }
      weight.addMember(member);
    }
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += members.length;
    this.#grow(container, weight, height);
    return height + 1;
  }

  /** Fails while a function visits the container, because a change would disturb the visit. */
  checkFree(container: Container): void {
    if (container.isBorrowed) {
      this.fail('DataRace', 'Data race detected: a function is going through the array or object map');
    }
  }

  /** Runs `action`, and meanwhile refuses changes of the container. */
  borrow<T>(container: Container, action: () => T): T {
    const wasBorrowed = container.isBorrowed;
    container.isBorrowed = true;
    try {
      return action();
    } finally {
      container.isBorrowed = wasBorrowed;
    }
  }

  /**
   * Removes the owner of a value that was removed from its container, so that the value can get another owner. Returns
   * the value.
   */
  detach<V extends RhaiValue>(value: V): V {
    if (value instanceof Container) value.owner = undefined;
    return value;
  }

  /**
   * Reverses `adopt` for removed members. A removed array or map counts as one member. Its contents are not subtracted,
   * because its weight may be outdated.
   */
  forget(container: Container, members: readonly RhaiValue[]): void {
    const kind = container instanceof RhaiArray ? 'elements' : 'entries';
    const text = members.reduce<number>((sum, member) => sum + (typeof member === 'string' ? member.length : 0), 0);
    for (let current: Container | undefined = container; current !== undefined; current = current.owner) {
      current[kind] -= members.length;
      current.text -= text;
    }
  }

  #grow(container: Container, weight: Weight, height: number): void {
    let depth = height;
    for (let current: Container | undefined = container; current !== undefined; current = current.owner) {
      if (++depth > this.limits.dataDepth) {
        this.fail(
          'DataTooLarge',
          `Data too deep: more than ${this.limits.dataDepth} arrays and maps within each other`,
        );
      }
      current.elements += weight.elements;
      current.entries += weight.entries;
      current.text += weight.text;
      const most = this.#most(current);
      if (current.elements > most.elements || current.entries > most.entries || current.text > most.text) {
        this.#weigh(current);
      }
    }
  }

  /**
   * Returns the limits of a container. A container from outside the script may be larger than containers that the
   * script makes.
   */
  #most({ given }: Container): Readonly<Weight> {
    if (given === undefined) return this.#limit;
    const most = new Weight();
    most.add(this.#limit);
    most.add(given);
    return most;
  }

  /** Computes the exact weight of a container. Fails if it exceeds a limit. */
  #weigh(container: Container): void {
    const weight = this.#exactWeight(container);
    container.elements = weight.elements;
    container.entries = weight.entries;
    container.text = weight.text;
    const { elements, entries, text } = this.#most(container);
    const kind = weight.elements > elements
      ? `array/BLOB too large: more than ${elements} elements`
      : weight.entries > entries
      ? `object map too large: more than ${entries} properties`
      : weight.text > text
      ? `strings in an array or object map too large: more than ${text} characters`
      : undefined;
    if (kind !== undefined) this.fail('DataTooLarge', `Size of ${kind}`);
  }

  #exactWeight(container: Container): Weight {
    const weight = new Weight();
    const members = container instanceof RhaiArray ? container.items : (container as RhaiMap).properties.values();
    let count = 0;
    if (container instanceof RhaiMap) { for (const key of container.properties.keys()) weight.text += key.length; }
    for (const member of members) {
      count++;
      if (member instanceof Container) weight.add(this.#exactWeight(member));
      else weight.addMember(member);
    }
    this.charge(count);
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += count;
    return weight;
  }

  #heightOf(container: Container): number {
    const members = container instanceof RhaiArray ? container.items : (container as RhaiMap).properties.values();
    let [height, count] = [0, 0];
    for (const member of members) {
      count++;
      if (member instanceof Container) height = Math.max(height, this.#heightOf(member));
      else if (member instanceof FnPointer) height = Math.max(height, member.height);
    }
    this.chargeText(count);
    return height + 1;
  }
}
