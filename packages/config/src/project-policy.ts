// The policies of config keys: what a project's config.json may do with a key that the user's file may have set. None of them can loosen anything.

/** Reports that the project may not do this. `part` is the part of the key's value that is refused, such as `[2]`. */
export type Ignore = (reason: string, part?: string) => void;

export interface ProjectPolicy<in out Written> {
  /** For the table of docs/config.md. */
  readonly text: string;
  /** Returns the value that is used. `user` is the user's value or the default. */
  decide<User extends Written | undefined>(user: User, project: Written, ignore: Ignore): User | Written;
}

/** The project's value is ignored. The reason completes "The project's config.json cannot set KEY: …". */
export function never<Written>(reason: string): ProjectPolicy<Written> {
  return {
    text: "–",
    decide(user, _project, ignore) {
      ignore(reason);
      return user;
    },
  };
}

/** The project's value is used. Only for values that decide nothing about rights, keys or money. */
export function choose<Written>(): ProjectPolicy<Written> {
  return { text: "choose", decide: (_user, project) => project };
}

export const lower: ProjectPolicy<number> = {
  text: "tighten: lower",
  decide(user, project, ignore) {
    if (user === undefined || project <= user) return project;
    ignore(`${project} is more than ${user}`);
    return user;
  },
};

/** A project can switch it on, and not off. */
export function onlyTrue(reason: string): ProjectPolicy<boolean> {
  return {
    text: "tighten: `true`",
    decide(user, project, ignore) {
      if (project) return true;
      ignore(reason);
      return user;
    },
  };
}

/** `order` is from the strictest to the loosest. A value that it does not name is refused. */
export function stricter<const Written extends string>(order: readonly Written[]): ProjectPolicy<Written> {
  return {
    text: "tighten",
    decide(user, project, ignore) {
      const limit = user === undefined ? order.length - 1 : order.indexOf(user);
      if (order.includes(project) && order.indexOf(project) <= limit) return project;
      ignore(`${project} is looser than ${user}`);
      return user;
    },
  };
}
