import mustache from 'mustache';

const { isExact } = globalThis.guest;

/** Finds only own members of the data, so that no function is called. */
class Data extends mustache.Context {
  push(view) {
    return new Data(view, this);
  }

  find(name) {
    if (name === '.') return this.view;
    const [first, ...others] = name.split('.');
    for (let level = this; level !== undefined; level = level.parent) {
      if (!has(level.view, first)) continue;
      let value = level.view[first];
      for (const other of others) value = has(value, other) ? value[other] : undefined;
      return value;
    }
    return undefined;
  }

  /** Finds the value that a section tests. A decimal that is zero is false. */
  lookup(name) {
    const value = this.find(name);
    return isExact(value) && !/[1-9]/.test(String(value)) ? 0 : value;
  }
}

const has = (value, name) => value !== null && value !== undefined && Object.hasOwn(value, name);

/** Writes each value as its text, so that a decimal keeps its zeros. */
class Writer extends mustache.Writer {
  unescapedValue([, name], data) {
    const value = data.find(name);
    return value === null || value === undefined ? undefined : String(value);
  }

  escapedValue(token, data, config) {
    const text = this.unescapedValue(token, data);
    return text === undefined ? undefined : this.getConfigEscape(config)(text);
  }
}

/** Fills a template in. */
globalThis.library = (template, data, isHtml) =>
  new Writer().render(template, new Data(data ?? {}), {}, { escape: isHtml ? mustache.escape : String });
