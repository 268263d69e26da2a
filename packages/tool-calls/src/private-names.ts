// What a Proxy before an object cannot do, told from the source text, which is the only place where it shows: a method with #private
// names (or of the engine) does not run with a Proxy as `this`, and what runs on the object itself is not seen by the Proxy.

const privateName = /\.#[\p{ID_Start}$_]|#[\p{ID_Start}$_][\p{ID_Continue}$]*\s+in\s/u;
/** The same after compilers that know no private names. */
const loweredPrivateName = /__classPrivateField|__private(?:Get|Set|Add|In|Method)\b/;
const nativeCode = /\{\s*\[native code\]\s*\}\s*$/;
const arrowFunction = /^(?:async\s*)?(?:\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export type Method = (...args: unknown[]) => unknown;

export function isMethod(value: unknown): value is Method {
  return typeof value === "function";
}

const known = new WeakMap<Method, boolean>();

/** Whether the method must get the object itself as `this`. */
export function needsObjectItself(method: Method): boolean {
  const answer = known.get(method) ?? (usesPrivateNames(sourceOf(method)) || nativeCode.test(sourceOf(method)));
  known.set(method, answer);
  return answer;
}

/** The same for the accessors of a property, wherever on the prototype chain they stand. */
export function accessorNeedsObjectItself(object: object, key: PropertyKey): boolean {
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor !== undefined) return !("value" in descriptor) && methodsIn(descriptor).some(needsObjectItself);
  }
  return false;
}

/** Whether code that runs on the object itself calls its method `name`, directly or through other methods. */
export function callsOnObjectItself(object: object, name: string): boolean {
  const methods = methodsOf(object).filter(({ key }) => key !== name);
  const callers = callersOf(methods, name);
  const calls = (text: string) => [...callers].some((caller) => mentions(text, caller));
  const bound = methods.some(
    ({ method }) => callers.has(method.name.replace(/^bound /, "")) && method.name.startsWith("bound "),
  );
  const arrow = methods.some(({ method }) => arrowFunction.test(sourceOf(method)) && calls(sourceOf(method)));
  return bound || arrow || classesOf(object).some((source) => calls(privatePartOf(source, object, name)));
}

interface NamedMethod {
  readonly key: string;
  readonly method: Method;
}

/** Every method and accessor on the object and its prototypes. */
function methodsOf(object: object): NamedMethod[] {
  return chainOf(object).flatMap((owner) =>
    Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([key, descriptor]) =>
      key === "constructor" ? [] : methodsIn(descriptor).map((method) => ({ key, method })),
    ),
  );
}

function methodsIn(descriptor: PropertyDescriptor): Method[] {
  return Object.values(descriptor).filter(isMethod);
}

/** `name` and the methods that call it, directly or not. */
function callersOf(methods: readonly NamedMethod[], name: string): Set<string> {
  const callers = new Set([name]);
  for (let before = 0; before < callers.size; ) {
    before = callers.size;
    for (const { key, method } of methods) {
      if ([...callers].some((caller) => mentions(sourceOf(method), caller))) callers.add(key);
    }
  }
  return callers;
}

function classesOf(object: object): string[] {
  return chainOf(object).flatMap((owner) => {
    const constructor: unknown = Object.getOwnPropertyDescriptor(owner, "constructor")?.value;
    const source = isMethod(constructor) ? sourceOf(constructor) : "";
    return usesPrivateNames(source) ? [source] : [];
  });
}

/** The class without the method `name` and without the methods that run on a Proxy: private methods have no other trace. */
function privatePartOf(source: string, object: object, name: string): string {
  return methodsOf(object)
    .filter(({ key, method }) => key === name || !needsObjectItself(method))
    .reduce((text, { method }) => text.replace(sourceOf(method), () => ""), source);
}

/** `this.name`, as an object uses its own method. */
function mentions(text: string, name: string): boolean {
  if (!identifier.test(name)) return false;
  return new RegExp(`\\bthis\\s*\\??\\.\\s*${name.replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`, "u").test(text);
}

function usesPrivateNames(text: string): boolean {
  return privateName.test(text) || loweredPrivateName.test(text);
}

function sourceOf(method: Method): string {
  return Function.prototype.toString.call(method);
}

function chainOf(object: object): object[] {
  const owners: object[] = [];
  for (let owner: object | null = object; owner !== null && owner !== Object.prototype; ) {
    owners.push(owner);
    owner = Object.getPrototypeOf(owner);
  }
  return owners;
}
