import { joinTexts } from '../concatenation.ts';
import { NativeSet } from '../native.ts';
import type { Ref } from '../refs.ts';
import type { Run } from '../run.ts';
import { countText, removeText, replaceText, trimText } from '../../values/text_search.ts';
import {
  Char,
  charactersOf,
  countCharacters,
  isText,
  replaceCharacter,
  type RhaiValue,
  sliceCharacters,
  textOf,
} from '../values.ts';
import { toNumber } from './args.ts';
import { withExtremes } from './numbers.ts';
import { paid, subString } from './texts.ts';

/** Replaces a text by its changed version. */
function change(run: Run, ref: Ref, text: string): null {
  ref.set(run.newText(text));
  return null;
}

/** Pads a text to a length with copies of another text. The last copy may be cut off. */
function pad(run: Run, self: string, ref: Ref, [length, padding]: readonly RhaiValue[]): null | undefined {
  const target = toNumber(length);
  if (target === undefined || padding === undefined || !isText(padding)) return undefined;
  const missing = target - countCharacters(self);
  if (missing <= 0 || textOf(padding) === '') return null;
  // Fails if the padded text would be too long, before such a text is made.
  run.newText(' '.repeat(Math.min(target, run.limits.stringLength + 1)));
  const filler = textOf(padding);
  const width = countCharacters(filler);
  run.chargeText(filler.length + Math.ceil(missing / width) * filler.length);
  const rest = sliceCharacters(filler, 0, missing % width);
  return change(run, ref, self + filler.repeat(Math.floor(missing / width)) + rest);
}

function replaced(run: Run, self: string, target: string, replacement: string): string {
  const count = target === '' ? countCharacters(self) + 1 : countText(self, target);
  const length = self.length + count * (replacement.length - target.length);
  run.charge(count >> 2);
  run.chargeText(length);
  if (length > run.limits.stringLength * 2) run.newText(' '.repeat(run.limits.stringLength + 1));
  if (target !== '') return replaceText(self, target, replacement);
  return ['', ...charactersOf(self), ''].join(replacement);
}

function pop(run: Run, self: string, ref: Ref, args: readonly RhaiValue[]): RhaiValue | undefined {
  const length = countCharacters(self);
  const count = args.length === 0 ? 1 : toNumber(args[0]);
  if (count === undefined) return undefined;
  const kept = sliceCharacters(self, 0, length - Math.min(Math.max(count, 0), length));
  const taken = self.slice(kept.length);
  change(run, ref, kept);
  if (args.length > 0) return taken;
  return taken === '' ? null : new Char(taken);
}

const setText = (compute: (self: string) => string) => paid((run, self, _, ref) => change(run, ref, compute(self)));

/** Functions that change a text in place. */
export const textChanges = new NativeSet<string>()
  .writer(
    'append',
    1,
    (run, self, [item], ref) => item === undefined ? undefined : change(run, ref, joinTexts(run, self, item)),
  )
  .writer(
    'set',
    2,
    paid((run, self, [index, character], ref) => {
      const place = toNumber(index);
      if (place === undefined || !(character instanceof Char)) return undefined;
      const length = countCharacters(self);
      const position = place < 0 ? length + place : place;
      if (position < 0 || position >= length) return null;
      return change(run, ref, replaceCharacter(self, position, character.text));
    }),
  )
  .writer('pad', 2, paid((run, self, args, ref) => pad(run, self, ref, args)))
  .writer(
    'remove',
    1,
    paid((run, self, [target], ref) =>
      target !== undefined && isText(target) ? change(run, ref, removeText(self, textOf(target))) : undefined
    ),
  )
  .writer(
    'replace',
    2,
    paid((run, self, [target, replacement], ref) =>
      target !== undefined && replacement !== undefined && isText(target) && isText(replacement)
        ? change(run, ref, replaced(run, self, textOf(target), textOf(replacement)))
        : undefined
    ),
  )
  .writer('pop', [0, 1], paid((run, self, args, ref) => pop(run, self, ref, args)))
  .writer('clear', 0, setText(() => ''))
  .writer('trim', 0, setText(trimText))
  .writer('make_upper', 0, setText((self) => self.toUpperCase()))
  .writer('make_lower', 0, setText((self) => self.toLowerCase()))
  .writer(
    'truncate',
    1,
    paid((run, self, [length], ref) => {
      const count = toNumber(length);
      return count === undefined ? undefined : change(run, ref, sliceCharacters(self, 0, Math.max(count, 0)));
    }),
  )
  .writer(
    'crop',
    [1, 2],
    paid((run, self, args, ref) => {
      const part = subString(self, args);
      return part === undefined ? undefined : change(run, ref, part);
    }),
  );

/** Changes the case of a character. A character stays as it is if its other case has several characters. */
const recased = (self: Char, text: string): Char => countCharacters(text) === 1 ? new Char(text) : self;

export const charFunctions = withExtremes(new NativeSet<Char>())
  .method('to_int', 0, (_, self) => self.text.codePointAt(0) ?? 0)
  .method('to_upper', 0, (_, self) => recased(self, self.text.toUpperCase()))
  .method('to_lower', 0, (_, self) => recased(self, self.text.toLowerCase()))
  .writer('make_upper', 0, (_, self, __, ref) => {
    ref.set(recased(self, self.text.toUpperCase()));
    return null;
  })
  .writer('make_lower', 0, (_, self, __, ref) => {
    ref.set(recased(self, self.text.toLowerCase()));
    return null;
  });
