import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OpenQuestions } from "./open-questions.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const record = () => {
  throw new Error("the disk is full");
};
const end = (why: string) => why;

describe("a question whose answer cannot be recorded", () => {
  it("fails for the agent when its time is over, and nowhere else", async () => {
    const questions = new OpenQuestions<string, string>(1000);
    const answer = questions.add({ id: "q", threadId: "t", question: "?", end, record }, new AbortController().signal);
    vi.advanceTimersByTime(1000);
    await expect(answer).rejects.toThrow("the disk is full");
    expect(questions.all()).toEqual([]);
  });

  it("fails for the agent when the turn is cancelled, and nowhere else", async () => {
    const questions = new OpenQuestions<string, string>(1000);
    const turn = new AbortController();
    const answer = questions.add({ id: "q", threadId: "t", question: "?", end, record }, turn.signal);
    turn.abort();
    await expect(answer).rejects.toThrow("the disk is full");
  });

  it("fails for the agent and for the person who answers", async () => {
    const questions = new OpenQuestions<string, string>(1000);
    const answer = questions.add({ id: "q", threadId: "t", question: "?", end, record }, new AbortController().signal);
    expect(() => questions.get("t", "q").settle("yes")).toThrow("the disk is full");
    await expect(answer).rejects.toThrow("the disk is full");
  });
});
