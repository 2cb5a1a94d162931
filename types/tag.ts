import { deploymentLimits } from './limits/deployments.ts';

/** The most characters of a tag. */
export const MAX_TAG_CHARACTERS = deploymentLimits.tag_characters.value;

/** The pattern of a tag, without its length. */
export const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Tests whether a text has the form of a tag. */
export const isTag = (text: string): boolean => text.length <= MAX_TAG_CHARACTERS && TAG.test(text);

/** The rule that `isTag` checks, as a phrase with which error texts end. */
export const TAG_RULE =
  `must be 1 to ${MAX_TAG_CHARACTERS} letters, digits, dots, underscores and hyphens, and begin with a letter or digit`;
