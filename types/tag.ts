/** The pattern of a tag. */
export const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The same rule for people, as the end of a sentence. */
export const TAG_RULE = 'must be 1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first';
