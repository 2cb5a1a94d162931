/** The data type of a definition that is dragged from the palette. */
export const DRAGGED_DEFINITION = 'application/x-flow-definition';
