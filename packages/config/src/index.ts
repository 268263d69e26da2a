// The configuration files of the user and of a project.
export {};
