import { fieldOf } from '../../../types/values/port_types.ts';

/** The groups of types that have a colour on the canvas. */
export type PortColour = 'text' | 'number' | 'boolean' | 'key' | 'bytes' | 'array' | 'object' | 'any';

/** Chooses the colour of a port by its types. Ports of several kinds of values are `any`. */
export function portColour(types: readonly string[]): PortColour {
  if (types.length === 0) return 'any';
  if (types.every((type) => type === 'bytes')) return 'bytes';
  switch (fieldOf(types)) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'key':
    case 'signature':
      return 'key';
    case 'text':
      return 'text';
    case 'json':
      return types.every((type) => type === 'array') ? 'array' : types.includes('array') ? 'any' : 'object';
    default:
      return 'any';
  }
}
