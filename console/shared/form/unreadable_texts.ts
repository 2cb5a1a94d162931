import type { FieldPathList, Registry } from '@rjsf/utils';

/** The texts in the fields of a form that can not be read, by the ids of the fields. Such a field has no value. */
export type UnreadableTexts = Map<string, { path: FieldPathList; message: string }>;

/** The context of a form, which its fields get. */
export interface FormContext {
  unreadable: UnreadableTexts;
}

/** Returns the unreadable texts of a field's form. */
// SAFETY: SchemaForm sets this context for all of its fields.
export const unreadableOf = (registry: Registry): UnreadableTexts => (registry.formContext as FormContext).unreadable;

/** Moves the focus to the first field that has an unreadable text. Returns true if there is such a field. */
export function focusUnreadable(unreadable: UnreadableTexts): boolean {
  const [id] = unreadable.keys();
  if (id === undefined) return false;
  document.getElementById(id)?.focus();
  return true;
}
