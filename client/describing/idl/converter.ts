// The parts of the converter that are used. A bundler drops the others only if they are imported by name.
export {
  accountNodeFromAnchorV00,
  accountNodeFromAnchorV01,
  definedTypeNodeFromAnchorV00,
  definedTypeNodeFromAnchorV01,
  extractGenerics,
  instructionNodeFromAnchorV00,
  instructionNodeFromAnchorV01,
} from '@codama/nodes-from-anchor';
