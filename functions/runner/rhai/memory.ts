import { Budget } from './budget.ts';
import { Blob, Container, countCharacters, FnPointer, RhaiArray, RhaiMap, type RhaiValue } from './values.ts';

/** What containers hold at any depth. */
class Weight {
  elements = 0;
  entries = 0;
  text = 0;

  add(other: { elements: number; entries: number; text: number }): void {
    this.elements += other.elements;
    this.entries += other.entries;
    this.text += other.text;
  }
}

/** Makes and copies a run's data, and keeps account of how large it is. */
export class Memory extends Budget {
  /** A copy of what is stored somewhere, as every value is copied when it goes elsewhere. */
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

  /** Charges for going through a value once, with all that it holds. */
  chargeValue(value: RhaiValue): void {
    if (typeof value === 'string') this.chargeText(value.length);
    else if (value instanceof Container) {
      this.charge(value.elements + value.entries);
      this.chargeText(value.text);
    } else if (value instanceof Blob) this.charge(value.bytes.length >> 2);
  }

  #copyInto(value: RhaiValue): RhaiValue {
    return typeof value === 'object' ? this.copy(value) : value;
  }

  #likeOriginal<C extends Container>(copy: C, original: Container, members: Iterable<RhaiValue>): C {
    copy.elements = original.elements;
    copy.entries = original.entries;
    copy.text = original.text;
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

  /** To be called before so many elements are made. */
  checkLength(length: number): void {
    if (length > this.limits.elements) {
      this.fail('DataTooLarge', `Size of array/BLOB too large: more than ${this.limits.elements} elements`);
    }
  }

  /** Accounts for values that have become members of a container, and the length of their keys when it is a map. */
  adopt(container: Container, members: readonly RhaiValue[], keyLength = 0): void {
    const weight = new Weight();
    weight.text = keyLength;
    let height = 0;
    for (const member of members) {
      if (member instanceof Container) {
        member.owner = container;
        height = Math.max(height, this.#heightOf(member));
        weight.add(member);
      } else if (typeof member === 'string') {
        weight.text += member.length;
      } else if (member instanceof FnPointer) {
        weight.text += this.#capturedText(member);
      } else if (member instanceof Blob) {
        weight.elements += member.bytes.length;
      }
    }
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += members.length;
    this.#grow(container, weight, height);
  }

  /** Fails while a function goes through the container, which would see it change under its hands. */
  checkFree(container: Container): void {
    if (container.isBorrowed) {
      this.fail('DataRace', 'Data race detected: a function is going through the array or object map');
    }
  }

  /** Runs `action`, during which the container can't be changed. */
  borrow<T>(container: Container, action: () => T): T {
    const wasBorrowed = container.isBorrowed;
    container.isBorrowed = true;
    try {
      return action();
    } finally {
      container.isBorrowed = wasBorrowed;
    }
  }

  /** Values that have left their container. */
  release<V extends RhaiValue>(value: V): V {
    if (value instanceof Container) value.owner = undefined;
    return value;
  }

  /** The opposite of `adopt` for members that left: of arrays and maps among them only themselves, as their weight may be old. */
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
      const { elements, stringLength } = this.limits;
      if (current.elements > elements || current.entries > elements || current.text > stringLength) {
        this.#weigh(current);
      }
    }
  }

  /** Makes the weight of a container exact; fails when it is really too much. */
  #weigh(container: Container): void {
    const weight = this.#exactWeight(container);
    container.elements = weight.elements;
    container.entries = weight.entries;
    container.text = weight.text;
    const { elements, stringLength } = this.limits;
    const kind = weight.elements > elements
      ? `array/BLOB too large: more than ${elements} elements`
      : weight.entries > elements
      ? `object map too large: more than ${elements} properties`
      : weight.text > stringLength
      ? `strings in an array or object map too large: more than ${stringLength} characters`
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
      else if (typeof member === 'string') weight.text += member.length;
      else if (member instanceof FnPointer) weight.text += this.#capturedText(member);
      else if (member instanceof Blob) weight.elements += member.bytes.length;
    }
    this.charge(count);
    weight[container instanceof RhaiArray ? 'elements' : 'entries'] += count;
    return weight;
  }

  #capturedText({ captured, curried }: FnPointer): number {
    let length = 0;
    for (const value of [...captured.map((cell) => cell.value), ...curried]) {
      if (typeof value === 'string') length += value.length;
      else if (value instanceof Container) length += value.text;
    }
    return length;
  }

  #heightOf(container: Container): number {
    const members = container instanceof RhaiArray ? container.items : (container as RhaiMap).properties.values();
    let [height, count] = [0, 0];
    for (const member of members) {
      count++;
      if (member instanceof Container) height = Math.max(height, this.#heightOf(member));
    }
    this.chargeText(count);
    return height + 1;
  }
}
