// Reads the chosen profile from the files of AWS: credentials and config in ~/.aws, or where AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE say.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

export interface AwsProfile {
  readonly name: string;
  /** Empty where the profile is in neither file. */
  readonly values: Readonly<Record<string, string>>;
}

export async function openProfile(env: NodeJS.ProcessEnv): Promise<AwsProfile> {
  const name = env.AWS_PROFILE || "default";
  const folder = join(env.HOME || homedir(), ".aws");
  const [config, credentials] = await Promise.all([
    readSection(env.AWS_CONFIG_FILE || join(folder, "config"), name === "default" ? name : `profile ${name}`),
    readSection(env.AWS_SHARED_CREDENTIALS_FILE || join(folder, "credentials"), name),
  ]);
  return { name, values: { ...config, ...credentials } };
}

async function readSection(file: string, wanted: string): Promise<Record<string, string>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const values: Record<string, string> = {};
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1];
    if (heading !== undefined) isWanted = heading.replaceAll(/\s+/g, " ") === wanted;
    // Lines that begin with a space belong to the setting before.
    const setting = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (isWanted && setting?.[1] !== undefined) values[setting[1]] = setting[2] ?? "";
  }
  return values;
}
