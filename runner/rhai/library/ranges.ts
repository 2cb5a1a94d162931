import { rangeContains } from '../equality.ts';
import { NativeSet } from '../native.ts';
import { isInt, type Range } from '../values.ts';

export const rangeFunctions = new NativeSet<Range>()
  .property('start', (_, self) => self.start)
  .property('end', (_, self) => self.end)
  .property('is_inclusive', (_, self) => self.isInclusive)
  .property('is_exclusive', (_, self) => !self.isInclusive)
  .property('is_empty', (_, self) => self.isInclusive ? self.start > self.end : self.start >= self.end)
  .method(
    'contains',
    1,
    (_, self, [value]) => value !== undefined && isInt(value) ? rangeContains(self, value) : undefined,
  );
