# Writes OUTPUT from TEMPLATE with the VERSION and the commit of SOURCE; leaves an equal file alone.
set(COMMIT unknown)
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
  # A clone of another user is refused without this.
  set(git "${GIT}" -c "safe.directory=${SOURCE}" -C "${SOURCE}")
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE id RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(COMMIT "${id}")
    execute_process(COMMAND ${git} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                    ERROR_QUIET)
    if(changes)
      string(APPEND COMMIT "+")
    endif()
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
