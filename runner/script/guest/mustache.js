import mustache from 'mustache';

/** Finds only own members of the data, so that no function is called. */
class Data extends mustache.Context {
  push(view) {
    return new Data(view, this);
  }

  lookup(name) {
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
}

const has = (value, name) => value !== null && value !== undefined && Object.hasOwn(value, name);

/** Fills a template in. */
globalThis.library = (template, data, isHtml) =>
  mustache.render(template, new Data(data ?? {}), {}, isHtml ? {} : { escape: String });
