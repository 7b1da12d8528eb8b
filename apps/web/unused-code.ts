/** What the console does not use of its libraries, one list per version. lean-libraries.ts leaves it out of the build. */

export type Library = {
  name: string;
  version: string;
  file: RegExp;
  /** Functions (`name`) and methods (`Class.name`) whose bodies are left out, with what only they call. */
  functions?: readonly string[];
  edits: readonly [RegExp, string][];
};

/**
 * The console has a plain `<Router>`. The contexts of data routers, frameworks and servers are always empty there, and
 * only pages of a data router are marked as such.
 */
const router: Library = {
  name: "react-router",
  version: "7.18.5",
  file: /\/react-router\/dist\/production\/chunk-7RTFRKQW\.mjs$/,
  edits: [
    [/\bReact\d*\.useContext\((?:DataRouter(?:State)?|ViewTransition|Framework|RSCRouter)Context\)/g, "null"],
    [
      /let \{ isDataRoute \} = React\d*\.useContext\(RouteContext\);\s*return isDataRoute \? \w+\(\) :/,
      "return",
    ],
    [/= dataRouterOpts\?\.(?:state|onError)\b/g, "= null"],
    [/= dataRouterOpts && dataRouterOpts\.state\.matches\.length \?[\s\S]*?: (?=matchRoutes\()/, "= "],
    [/if \(dataRouterOpts && dataRouterState\) \{/, "if (false) {"],
    [/= usePrefetchBehavior\(\s*prefetch,\s*rest\s*\)/, "= [false, null, null]"],
    [/\bshouldPrefetch && !isAbsolute \?/, "false ?"],
    [/ref: mergeRefs\(forwardedRef, prefetchRef\)/, "ref: forwardedRef"],
    [/^RenderErrorBoundary\.contextType = .*$/m, ""],
    // Messages about wrong use.
    [/^(\s*)(?:warning|invariant)\((?=\n|\w|!)/gm, "$1false && invariant("],
  ],
};

/** Exports that neither the console nor its libraries import. */
const reactExports: Library = {
  name: "react",
  version: "19.3.1",
  file: /\/react\/cjs\/react\.production\.js$/,
  edits: [
    [
      /^exports\.(?:Profiler|ViewTransition|addTransitionType|cache|cacheSignal|unstable_useCacheRefresh|useActionState|useOptimistic) = [\s\S]*?;$(?=\nexports\.)/gm,
      "",
    ],
    [/^exports\.__COMPILER_RUNTIME = [\s\S]*?^\};$/m, ""],
  ],
};

const domExports: Library = {
  name: "react-dom",
  version: "19.3.1",
  file: /\/react-dom\/cjs\/react-dom\.production\.js$/,
  edits: [
    [
      /^exports\.(?:browser|preconnect|prefetchDNS|preinit|preinitModule|preload|preloadModule|requestFormReset|unstable_batchedUpdates|useFormState|useFormStatus) = [\s\S]*?^\};$/gm,
      "",
    ],
  ],
};

/** The theme has its own colours. Of those of the library, the default theme needs blue, and a few notes are yellow. */
const colors: Library = {
  name: "@mantine/core",
  version: "9.7.4",
  file: /\/@mantine\/core\/esm\/core\/MantineProvider\/default-colors\.mjs$/,
  edits: [[/^\t(?!yellow|blue)\w+: \[[^\]]*\],?$/gm, ""]],
};

/** What opens fades, slides or pops. */
const transitions: Library = {
  name: "@mantine/core",
  version: "9.7.4",
  file: /\/@mantine\/core\/esm\/components\/Transition\/transitions\.mjs$/,
  edits: [[/^\t"?(?:scale|skew|rotate|fade-(?:up|left|right))[\w-]*"?: \{[\s\S]*?^\t\},$/gm, ""]],
};

/** The console writes no JSON Schemas. */
const schemas: Library = {
  name: "zod",
  version: "4.6.7",
  file: /\/zod\/v4\/classic\/schemas\.js$/,
  edits: [
    [/^\s*inst\._zod\.processJSONSchema = .*;$/gm, ""],
    [/return createToJSONSchemaMethod\(this, \{\}\)\(params\);/, "return undefined;"],
  ],
};

/**
 * The console is drawn in the browser, without `hydrateRoot`
 * and what is named below.
 */
const react: Library = {
  name: "react-dom",
  version: "19.3.1",
  file: /\/react-dom\/cjs\/react-dom-client\.production\.js$/,
  functions: [
    // Hydration.
    "prepareToHydrateHostInstance",
    "throwOnHydrationMismatch",
    "queueHydrationError",
    "updateDehydratedSuspenseComponent",
    "mountHostRootWithoutHydrating",
    "canHydrateInstance",
    "canHydrateTextInstance",
    "canHydrateHydrationBoundary",
    "attemptExplicitHydrationTarget",
    "resetHydrationState",
    "createFiberFromDehydratedFragment",
    "clearHydrationBoundary",
    "hideOrUnhideDehydratedBoundary",
    "commitActivityHydrationCallbacks",
    "commitSuspenseHydrationCallbacks",
    "retryDehydratedSuspenseBoundary",
    "retryActivityComponentWithoutHydrating",
    "queueIfContinuousEvent",
    "clearIfContinuousEvent",
    "retryIfBlockedOn",
    // View transitions.
    "startViewTransition",
    "trackEnterViewTransitions",
    "commitEnterViewTransitions",
    "commitExitViewTransitions",
    "commitDeletedPairViewTransitions",
    "commitNestedViewTransitions",
    "commitAfterMutationEffectsOnFiber",
    "restoreEnterOrExitViewTransitions",
    "restoreNestedViewTransitions",
    "restoreViewTransitionOnHostInstances",
    "applyViewTransitionToHostInstances",
    "applyViewTransitionToHostInstancesRecursive",
    "measureNestedViewTransitions",
    "scheduleViewTransitionEvent",
    "createViewTransitionInstance",
    // `<SuspenseList>`.
    "updateSuspenseListComponent",
    // Refs of fragments.
    "commitNewChildToFragmentInstances",
    "commitFragmentInstanceInsertionEffects",
    "commitFragmentInstanceDeletionEffects",
    // Stacks of components, which no error boundary reads.
    "describeNativeComponentFrame",
    "getStackByFiberInDevAndProd",
    // `action` of forms as a function, and its hooks.
    "extractEvents$1",
    "mountActionState",
    "updateActionState",
    "rerenderActionState",
    "updateOptimisticImpl",
    "requestFormReset",
    // Custom elements.
    "isCustomElement",
    "setPropOnCustomElement",
    // `onBeforeInput`.
    "getNativeBeforeInputChars",
    "getFallbackBeforeInputChars",
    // Style sheets and images that a commit waits for: those with a precedence, and those in view transitions.
    "preloadInstanceAndSuspendIfNeeded",
    "insertSuspendedStylesheets",
    // Loading ahead.
    "prefetchDNS",
    "preconnect",
    "preload",
    "preloadModule",
    "preinitScript",
    "preinitStyle",
    "preinitModuleScript",
  ],
  edits: [
    [/^(?:FragmentInstance|ViewTransitionPseudoElement)\.prototype\.\w+ = function[\s\S]*?^\};$/gm, ""],
    [/^exports\.hydrateRoot = [\s\S]*?^\};$/m, ""],
    [/\bisHydrating = (!0|!1)(?=[;)])/g, "$1"],
    // Except for its declaration, and a parameter with the same name.
    [/\bisHydrating\b(?!\$| = |\n\) \{)/g, "!1"],
    [/(?<!function )\bupgradeHydrationErrorsToRecoverable\(\)/g, "null"],
    [/\bpopHydrationState\(workInProgress\)/g, "!1"],
    [/\b[\w$]+(?:\.\w+)*\.isDehydrated\b/g, "!1"],
    [/\b[\w$]+\.dehydrated\b/g, "null"],
    [/(?<!function )\bgetParentHydrationBoundary\(targetNode\)/g, "null"],
    [
      /var blockedOn = (findInstanceBlockingEvent\(nativeEvent\);)\s*if \(null === blockedOn\)/,
      "$1 if (true)",
    ],
    // Kinds of fibers that nothing creates: `<Profiler>`, `<SuspenseList>`, `<ViewTransition>`, dehydrated, scopes, hoistable
    // elements, and html, head and body. Without its label, the code of a case is after the end of the case above.
    [/(?<!\{\n)^ +case (?:12|18|19|21|23|26|27|30):$/gm, ""],
    [/\b(?:12|18|19|21|26|27|30) === (?:[\w$]+\.)*tag\b/g, "!1"],
    [/\b(?:12|18|19|21|26|27|30) !== (?:[\w$]+\.)*tag\b/g, "!0"],
    [/fiberTag = isHostHoistableType\([^)]*\)\s*\? 26\s*:[^?;]*\?\s*27\s*:\s*5;/, "fiberTag = 5;"],
    [/^ +case REACT_(?:PROFILER|SUSPENSE_LIST|LEGACY_HIDDEN|VIEW_TRANSITION)_TYPE:$/gm, ""],
    [/\bshouldStartViewTransition\b(?! = !1)/g, "!1"],
    [
      /isViewTransitionEligible \|\|\s+subtreeFlags & 8192 \|\|\s+16785408 === \(subtreeFlags & 16785408\)/,
      "!1",
    ],
    [/^ReactDOMHydrationRoot\.prototype\.unstable_scheduleHydration = [\s\S]*?^\};$/m, ""],
    [/\bReactDOMHydrationRoot\.prototype\.\w+ = (?=ReactDOMRoot)/g, ""],
    [/^ReactDOMSharedInternals\.findDOMNode = [\s\S]*?^\};$/m, ""],
  ],
};

/**
 * The console passes all options to `init`, and loads its messages itself: no namespaces, nested keys or messages,
 * contexts, ordinals, post-processors, backends and language detectors. lean-libraries.verify.test.ts compares the
 * rest with the whole library, on every text.
 */
const i18next: Library = {
  name: "i18next",
  version: "27.1.2",
  file: /\/i18next\/dist\/esm\/i18next\.js$/,
  functions: [
    "keysFromSelector",
    "I18n.cloneInstance",
    "I18n.dir",
    "I18n.exists",
    "I18n.hydrate",
    "I18n.loadLanguages",
    "I18n.loadNamespaces",
    "I18n.reloadResources",
    "I18n.setDefaultNamespace",
    "I18n.toJSON",
    "ResourceStore.addResourceBundle",
    "ResourceStore.removeResourceBundle",
    "Translator.exists",
    "Translator.getUsedParamsDetails",
    "PluralResolver.getPluralFormsOfKey",
    "PluralResolver.getSuffixes",
    "PluralResolver.needsPlural",
    "Interpolator.nest",
    "Formatter.addCached",
    "Connector.loaded",
    "Connector.loadOne",
    "Connector.queueLoad",
    "Connector.read",
    "Connector.reload",
    "Connector.saveMissing",
    // Messages for development, which only the option `debug` shows.
    "Logger.clone",
    "Logger.deprecate",
    "Logger.error",
    "Logger.forward",
    "Logger.log",
    "Logger.once",
    "Logger.warn",
  ],
  edits: [
    [/\b(?:this\.)?logger\.(?:log|warn|error|deprecate|once)\(/g, "false && $&"],
    // Keys are texts, so they have no path and no namespace, and are no functions.
    [
      /const keySeparator = (\w+)\.keySeparator !== undefined \? \1\.keySeparator : this\.options\.keySeparator;/g,
      "const keySeparator = false;",
    ],
    [/typeof (?:keys|key|k|o\.keyPrefix) === 'function'/g, "false"],
    [
      /const wouldCheckForNsInKey = [\s\S]*?if \(wouldCheckForNsInKey && !seemsNaturalLanguage\)/,
      "if (false)",
    ],
    [/if \(!keySeparator\) \{/, "{"],
    [/if \(lng\?\.toLowerCase\(\) === 'cimode'\)/, "if (false)"],
    [/const (returnDetails|isObjectHit|needsContextHandling|updateMissing) = [^;]*;/g, "const $1 = false;"],
    [/isString\(joinArrays\)/g, "false"],
    [/\b(?:opt|options)\.ordinal\b/g, "false"],
    [
      /if \((?:opt\.nest !== false|res != null && postProcessorNames\?\.length && opt\.applyPostProcessor !== false|this\.options\.saveMissingPlurals && needsPluralHandling)\)/g,
      "if (false)",
    ],
    [/const skipOnVariables = options\?\.[^;]*;/, "const skipOnVariables = true;"],
    // Options and modules that the console does not have.
    [
      /\bthis\.options\.(?:appendNamespaceTo\w+|parseMissingKeyHandler|returnedObjectHandler|fallbackNS|preload|isClone|missingInterpolationHandler|interpolation\.defaultVariables)\b(?! = )/g,
      "undefined",
    ],
    [/const setModule = type => \{[\s\S]*?(?=if \(module\.type === '3rdParty'\))/, ""],
    [
      /\bthis\.(?:modules\.(?:backend|formatter|i18nFormat|languageDetector|logger)|services\.languageDetector|i18nFormat|alwaysFormat)\b(?! = )/g,
      "undefined",
    ],
    [/if \(!this\.backend\) \{/, "{"],
    // The console adds its own format.
    [/const cf = [\s\S]*?this\.formats = \{[\s\S]*?^ {4}\};/m, "this.formats = {};"],
    [/if \(formatStr\.includes\('\('\)\)/, "if (false)"],
  ],
};

/** Texts are there before the first component, so nothing waits for them: `useSuspense: false`. */
const translation: Library = {
  name: "react-i18next",
  version: "18.0.1",
  file: /\/react-i18next\/dist\/es\/useTranslation\.js$/,
  edits: [
    [/const \{\s*useSuspense,/, "const useSuspense = false; const {"],
    [/\bwarnOnce\(/g, "false && $&"],
  ],
};

const translationParts: Library = {
  name: "react-i18next",
  version: "18.0.1",
  file: /\/react-i18next\/dist\/es\/utils\.js$/,
  edits: [[/\bwarnOnce\(/g, "false && $&"]],
};

export const libraries: readonly Library[] = [
  router,
  colors,
  transitions,
  schemas,
  react,
  reactExports,
  domExports,
  i18next,
  translation,
  translationParts,
];
