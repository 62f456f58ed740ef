import { AUTHOR_PACKAGES, FIELD_SDK, SDK } from '../../src/core/reactors/author-packages.ts';
import { builtInsFor, REFUSED } from './built-ins.ts';
import { compile } from './compile.ts';
import { hasOwnMember } from './hostile-member.ts';
import { hasBuiltIn } from './natives.ts';
import {
  apply,
  assign,
  createObject,
  dataProperty,
  defineProperty,
  dirname,
  ErrorClass,
  existsSync,
  join,
  readFileSync,
  slice,
  startsWith,
  TypeErrorClass,
} from './primordials.ts';

export type ReactorRequire = (specifier: unknown) => unknown;

export interface ReactorModules {
  readonly require: ReactorRequire;
  /** Adds the packages in a file beside the code, which come before those of the layer. */
  readonly add: (file: string, specifiers: readonly string[]) => void;
  /** Returns the last refusal: its error, and the module that was refused. */
  readonly refused: () => { readonly error: Error; readonly specifier: string } | undefined;
}

const OFFER = ["Node's built-ins", SDK, ...AUTHOR_PACKAGES.map(({ name }) => name)].join(', ');

function notFound(specifier: string, reasons: Record<string, string>): Error {
  const reason = reasons[startsWith(specifier, 'node:') ? slice(specifier, 5) : specifier];
  const why = reason === undefined ? '' : `${reason}; `;
  const error = new ErrorClass(`Cannot find module '${specifier}': ${why}a reactor can require ${OFFER}`);
  defineProperty(error, 'code', dataProperty('MODULE_NOT_FOUND'));
  return error;
}

/**
 * The `require` of reactor code: built-ins, the SDK, the packages of the layer, and those that the
 * reactor brings. Each is loaded at its first use.
 */
export function reactorModules(layer: string, temp: () => string): ReactorModules {
  const builtIn = builtInsFor(temp, hasBuiltIn);
  const reasons = assign(createObject(null), REFUSED) as Record<string, string>;
  const files = createObject(null) as Record<string, string>;
  for (const specifier of [SDK, ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers)]) {
    files[specifier] = join(layer, 'packages', `${specifier}.cjs`);
  }
  const own = createObject(null) as Record<string, string>;
  const ofLenientLayers = join(layer, 'packages', `${FIELD_SDK}.cjs`);
  if (existsSync(ofLenientLayers)) files[FIELD_SDK] = ofLenientLayers;
  const loaded = createObject(null) as Record<string, { exports: unknown } | undefined>;
  let refused: ReturnType<ReactorModules['refused']>;

  const loadPackage = (file: string): unknown => {
    const already = loaded[file];
    if (already !== undefined) return already.exports;
    const module = { exports: {} };
    const run = compile(readFileSync(file, 'utf8'), file);
    loaded[file] = module;
    let isLoaded = false;
    try {
      apply(run, module.exports, [module.exports, require, module, file, dirname(file)]);
      isLoaded = true;
    } finally {
      if (!isLoaded) loaded[file] = undefined;
    }
    return module.exports;
  };

  /** The exports of the file have a function for each name, which loads its package. */
  const loadOwn = (file: string, specifier: string): unknown => {
    const exported = loadPackage(file) as Record<string, unknown>;
    const load = hasOwnMember(exported, specifier) ? exported[specifier] : undefined;
    if (typeof load !== 'function') throw new TypeErrorClass(`the packages of the reactor lack ${specifier}`);
    return (load as () => unknown)();
  };

  const require: ReactorRequire = (specifier) => {
    if (typeof specifier !== 'string') throw new TypeErrorClass('require takes the name of a module');
    const ownFile = own[specifier];
    if (ownFile !== undefined) return loadOwn(ownFile, specifier);
    const file = files[specifier];
    if (file !== undefined) return loadPackage(file);
    const found = builtIn(specifier);
    if (found !== undefined) return found;
    const error = notFound(specifier, reasons);
    refused = { error, specifier };
    throw error;
  };
  return {
    require,
    add: (file, specifiers) => {
      for (let at = 0; at < specifiers.length; at += 1) own[specifiers[at] ?? ''] = file;
    },
    refused: () => refused,
  };
}
