import { describe, expect, it } from "vitest";
import {
  activeThread,
  addSecondThread,
  routeBack,
  shownRoute,
  swapped,
  withoutThread,
  withThread,
} from "./thread-pair.ts";
import type { Route } from "./use-route.ts";

const one: Route = { page: "thread", threadId: "a", seq: 5, words: "x" };
const two: Route = { page: "thread", threadId: "a", beside: "b" };
const settings: Route = { page: "settings" };
const changes: Route = { page: "changes", threadId: "a" };

describe("two threads side by side", () => {
  it.each<[string, Route, Route]>([
    ["opened beside a thread", addSecondThread(one, "b"), two],
    ["opened beside its changes", addSecondThread(changes, "b"), two],
    ["opened beside two, in the place of the right one", addSecondThread(two, "c"), { ...two, beside: "c" }],
    ["opened beside itself", addSecondThread(one, "a"), { page: "thread", threadId: "a" }],
    ["opened beside no thread", addSecondThread(settings, "b"), { page: "thread", threadId: "b" }],
    ["opened in the place of the only one", withThread(one, "a", "c"), { page: "thread", threadId: "c" }],
    ["opened in the place of the left one", withThread(two, "a", "c"), { ...two, threadId: "c" }],
    ["opened in the place of the right one", withThread(two, "b", "c"), { ...two, beside: "c" }],
    ["opened where it is", withThread(two, "a", "b"), two],
    ["closed at the right", withoutThread(two, "b"), { page: "thread", threadId: "a" }],
    ["closed at the left", withoutThread(two, "a"), { page: "thread", threadId: "b" }],
    ["closed as the only one", withoutThread(one, "a"), { page: "start" }],
    ["closed with its changes open", withoutThread(changes, "a"), { page: "start" }],
    ["swapped", swapped(two), { page: "thread", threadId: "b", beside: "a" }],
    ["left for the changes of the left one, and back", routeBack(two, "a"), two],
    ["left for the changes of the right one, and back", routeBack(two, "b"), two],
    ["left for the changes of another one, and back", routeBack(two, "c"), { page: "thread", threadId: "c" }],
    ["back to one that was alone", routeBack(one, "a"), { page: "thread", threadId: "a" }],
    ["back after a reload", routeBack(null, "a"), { page: "thread", threadId: "a" }],
    ["on a narrow screen", shownRoute(two, false), { page: "thread", threadId: "a" }],
    ["on a wide screen", shownRoute(two, true), two],
  ])("%s", (_, route, expected) => {
    expect(route).toEqual(expected);
  });

  it("leave the view alone that has not the thread", () => {
    for (const route of [one, two, changes, settings]) expect(withoutThread(route, "z")).toBe(route);
    expect(swapped(one)).toBe(one);
  });

  it("have one that keys are for: the right one only if it was used last", () => {
    expect([null, "a", "b", "z"].map((used) => activeThread(two, used))).toEqual(["a", "a", "b", "a"]);
    expect([one, changes, settings].map((route) => activeThread(route, "b"))).toEqual(["a", "a", null]);
  });
});
