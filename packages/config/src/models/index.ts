// @signalbox/config/models: the catalogue of models.
export { Catalogue, defaultContextWindow, defaultMaxOutputTokens } from "./catalogue.ts";
export {
  choosePrice,
  type ModelFacts,
  nearestLevel,
  type Price,
  type ThinkingLevel,
  thinkingLevels,
} from "./model-facts.ts";
export { refreshModels } from "./refresh-models.ts";
