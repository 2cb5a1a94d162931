/** The name of the steps that call the model. The names of steps make the ids of their nodes. */
export const MODEL_STEP = 'model';

/** Returns the name of the steps that call a tool. */
export const callStep = (tool: string): string => `tool ${tool}`;

/** Returns the name of the steps that ask whether a tool may be called. */
export const approvalStep = (tool: string): string => `approval ${tool}`;

/** The choice by which a person approves a call. */
export const APPROVE = 'Approve';
