import { type Container, RhaiArray, RhaiMap, type RhaiValue, Weight } from './values.ts';

/**
 * Computes the weight of a container that the script gets from outside. The weight is needed to charge for reading the
 * container. All containers in this container must already be weighed.
 */
function weighed<C extends Container>(container: C, members: Iterable<RhaiValue>): C {
  const weight = new Weight();
  for (const member of members) {
    weight.addMember(member);
    if (member instanceof RhaiArray || member instanceof RhaiMap) member.owner = container;
  }
  container.elements = weight.elements;
  container.entries = weight.entries;
  container.text = weight.text;
  return container;
}

const kept = <C extends Container>(container: C): C => {
  const given = new Weight();
  given.add(container);
  container.given = given;
  return container;
};

/** Makes an array that a script gets from outside. */
export function givenArray(items: RhaiValue[]): RhaiArray {
  const array = weighed(new RhaiArray(items), items);
  array.elements += items.length;
  return kept(array);
}

/** Makes an object map that a script gets from outside. */
export function givenMap(properties: Iterable<readonly [string, RhaiValue]>): RhaiMap {
  const members = new Map(properties);
  const map = weighed(new RhaiMap(members), members.values());
  map.entries += members.size;
  for (const key of members.keys()) map.text += key.length;
  return kept(map);
}
